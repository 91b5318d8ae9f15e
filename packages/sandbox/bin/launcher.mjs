// Plain JavaScript that Node 20 can read: the sources need the pinned Node, which this file finds and starts.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs a command of this workspace: here when this Node is new enough, else by starting the command's file again on
 * the pinned one, with the same arguments, streams and end.
 *
 * @param {object} command
 * @param {string} command.importMetaUrl of the command's file
 * @param {string} command.name for messages
 * @param {string[]} command.nodeFlags for the pinned Node
 * @param {() => Promise<void>} command.run the command itself
 */
export async function launch({ importMetaUrl, name, nodeFlags, run }) {
  const file = fileURLToPath(importMetaUrl);
  if (!isNewEnough()) return runOnPinnedNode({ file, name, nodeFlags });
  if (process.env.FAIRLEAD_LAUNCHER !== undefined && process.channel !== undefined) endWithLauncher();
  delete process.env.FAIRLEAD_LAUNCHER;
  const modules = findUp(dirname(file), 'node_modules');
  if (modules !== undefined) module.enableCompileCache(join(modules, '.cache', 'fairlead'));
  await run();
}

function isNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** The launcher cannot be killed without this process following it in the same way. */
function endWithLauncher() {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel.unref();
}

function runOnPinnedNode({ file, name, nodeFlags }) {
  const node = findUp(dirname(file), join('node_modules', 'node', 'bin', 'node'));
  if (node === undefined) {
    console.error(
      `${name}: Node ${process.versions.node} is too old and the pinned one is not installed; ` +
        'run "npm install" in the checkout, or use Node 22.18 or newer',
    );
    process.exit(2);
  }
  const child = spawn(node, [...nodeFlags, file, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, FAIRLEAD_LAUNCHER: '1' },
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`${name}: cannot start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) =>
    signal === null ? process.exit(code) : process.kill(process.pid, signal),
  );
}

function findUp(start, name) {
  for (let directory = start; ; directory = dirname(directory)) {
    const path = join(directory, name);
    if (existsSync(path)) return path;
    if (directory === dirname(directory)) return undefined;
  }
}
