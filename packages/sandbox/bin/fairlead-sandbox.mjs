#!/usr/bin/env -S node --max-semi-space-size=4
// Plain JavaScript that Node 20 can read: the sources need the pinned Node, which this file finds and starts.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isBundleFresh } from './bundle-freshness.mjs';
import { nodeFlags } from './node-flags.mjs';

const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 18);

if (isNewEnough) await run();
else runOnPinnedNode();

async function run() {
  if (process.env.FAIRLEAD_LAUNCHER !== undefined && process.channel !== undefined) endWithLauncher();
  const modules = findUp('node_modules');
  if (modules !== undefined) module.enableCompileCache(join(modules, '.cache', 'fairlead'));
  const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
  const entry = isBundleFresh(packageDirectory) ? join('dist', 'main.mjs') : join('src', 'main.ts');
  const { main } = await import(pathToFileURL(join(packageDirectory, entry)).href);
  process.exit(await main(process.argv.slice(2), process.env, version));
}

/** The launcher cannot be killed without this process following it in the same way. */
function endWithLauncher() {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel.unref();
}

function runOnPinnedNode() {
  const node = findUp(join('node_modules', 'node', 'bin', 'node'));
  if (node === undefined) {
    console.error(
      `fairlead-sandbox: Node ${process.versions.node} is too old and the pinned one is not installed; ` +
        'run "npm install" in the checkout, or use Node 22.18 or newer',
    );
    process.exit(2);
  }
  const child = spawn(node, [...nodeFlags, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, FAIRLEAD_LAUNCHER: '1' },
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`fairlead-sandbox: cannot start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) =>
    signal === null ? process.exit(code) : process.kill(process.pid, signal),
  );
}

function findUp(name) {
  for (let directory = packageDirectory; ; directory = dirname(directory)) {
    const path = join(directory, name);
    if (existsSync(path)) return path;
    if (directory === dirname(directory)) return undefined;
  }
}
