import { chownSync, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from './arguments.ts';
import { makeDirectory } from './make-directory.ts';
import { longestPathBytes } from './unix-socket.ts';
import type { User } from './user.ts';

/** The editor has a second socket beside it, with an ending. */
const endingBytes = 8;

/** The absolute path at which an editor will listen, in a directory that is made when missing and given to the user. */
export function prepareEditorSocket(given: string, user: User | undefined): string {
  const path = resolve(given);
  if (Buffer.byteLength(path) > longestPathBytes - endingBytes) {
    throw new UsageError(
      `--editor-socket ${path} is longer than ${longestPathBytes - endingBytes} bytes; choose a shorter one`,
    );
  }
  const directory = dirname(path);
  if (existsSync(directory)) return path;
  try {
    makeDirectory(directory, 0o700);
    if (user !== undefined) chownSync(directory, user.uid, user.gid);
    return path;
  } catch (error) {
    throw new UsageError(`Cannot make --editor-socket ${path}: ${(error as Error).message}`);
  }
}
