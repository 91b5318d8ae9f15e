import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { runFiles } from '../inside.ts';
import type { Launch } from './isolation.ts';
import { removeTree } from '../remove-tree.ts';

/** Joins the control groups before there is anything else to join them. */
const joinScript = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 1; shift; done; shift; exec "$@"';

export interface SpawnedSandbox {
  pid: number | undefined;
  /** Fulfilled with how it ended. */
  gone: Promise<string>;
}

/** Starts the sandbox as a process that does not end with this one. */
export async function spawnSandbox(
  { argv, env, passed }: Launch,
  joinFiles: string[],
  run: string,
): Promise<SpawnedSandbox> {
  const command = joinFiles.length === 0 ? argv : ['sh', '-c', joinScript, 'sh', ...joinFiles, '--', ...argv];
  let log;
  try {
    log = await openLog(join(run, runFiles.log));
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      env,
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log, ...(passed?.files ?? [])],
    });
    child.unref();
    const gone = new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(`${file} cannot be run: ${error.message}`));
      child.on('exit', (code, signal) =>
        resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
      );
    });
    return { pid: child.pid, gone };
  } finally {
    if (log !== undefined) closeSync(log);
    passed?.close();
  }
}

/** The directory was the sandbox's when it last ran: what is there in the log's place may be anything. */
async function openLog(path: string): Promise<number> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
  try {
    const file = openSync(path, flags | constants.O_NOFOLLOW, 0o600);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch {
    // A link, a directory, a pipe that nobody reads.
  }
  await removeTree(path);
  return openSync(path, flags | constants.O_EXCL, 0o600);
}
