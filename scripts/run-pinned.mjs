import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { UserError } from './fail.mjs';
import { environmentWithTools, pinnedNode, root } from './paths.mjs';

const sameKeyPressMs = 500;

/** Runs a program on the pinned Node with this terminal, and answers its exit code. */
export async function runPinned(args, extraEnvironment = {}) {
  const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' };
  const child = spawnPinned(args, environmentWithTools({ ...plain, ...extraEnvironment }));
  const { code, signal } = await ended(child);
  return code ?? 128 + constants.signals[signal];
}

/**
 * The child gets a process group of its own: Ctrl-C reaches the terminal's whole group and npm forwards it once
 * more, and a server that is closing down must hear it once. A later Ctrl-C kills it. With a
 * channel, a child that listens to it learns when this process is gone.
 */
export function spawnPinned(args, env, { hasChannel = false, cwd = root } = {}) {
  const stdio = ['ignore', 'inherit', 'inherit', ...(hasChannel ? ['ipc'] : [])];
  const child = spawn(pinnedNode, args, { cwd, env, stdio, detached: true });
  let firstSignalAt;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      firstSignalAt ??= child.kill(signal) && Date.now();
      if (Date.now() - firstSignalAt > sameKeyPressMs) child.kill('SIGKILL');
    });
  }
  return child;
}

export function ended(child) {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new UserError(`Cannot run ${pinnedNode}: ${error.message}`)));
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
}
