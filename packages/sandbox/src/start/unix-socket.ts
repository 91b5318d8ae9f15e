import { accessSync, constants, lstatSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import { UsageError } from './arguments.ts';

/** What the kernel has room for in a socket's address, without the final zero. */
export const longestPathBytes = 107;

/** The absolute path of a socket that is free to listen on; what a server that died has left there is removed. */
export async function prepareSocket(given: string): Promise<string> {
  const path = resolve(given);
  if (Buffer.byteLength(path) > longestPathBytes) {
    throw new UsageError(
      `--socket ${path} is longer than the ${longestPathBytes} bytes a socket's path may have; choose a shorter one`,
    );
  }
  checkDirectory(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return path;
  if (!stats.isSocket())
    throw new UsageError(`--socket ${path} is there and is not a socket; choose another`);
  if (await isListening(path)) throw new UsageError(`--socket ${path} is in use by another server`);
  rmSync(path, { force: true });
  return path;
}

function checkDirectory(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(`Cannot make --socket ${path}: ${(error as Error).message}`);
  }
}

/** Only a refused connection says for sure that nobody is there: a frozen or busy server does not refuse. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(path, () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}
