import { chmodSync, lstatSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from './arguments.ts';
import { makeDirectory } from './make-directory.ts';

export interface SessionDirRequest {
  given: string | undefined;
  port: number;
  runtimeDir: string | undefined;
  /** Shells of another user must get through to their own directories in it. */
  hasOtherUser: boolean;
}

export interface SessionDir {
  path: string;
  /** Removed when the server stops in good order: there is nothing to come back to. */
  goesWithServer: boolean;
}

/** By user and port, so that a server started again on its port after a crash finds its session. */
export function prepareSessionDir({ given, port, runtimeDir, hasOtherUser }: SessionDirRequest): SessionDir {
  const mode = hasOtherUser ? 0o711 : 0o700;
  // A runtime directory lets nobody else through.
  const parent = (hasOtherUser ? undefined : runtimeDir) ?? tmpdir();
  const root = join(parent, `fairlead-${process.getuid?.() ?? 0}`);
  try {
    if (given !== undefined) return { path: ownDirectory(resolve(given), mode), goesWithServer: false };
    // Servers with and without another user share it; its names are no secret.
    ownDirectory(root, 0o711);
    if (port > 0) return { path: ownDirectory(join(root, String(port)), mode), goesWithServer: true };
    return { path: ownDirectory(mkdtempSync(join(root, 'any-')), mode), goesWithServer: true };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot use the session directory: ${(error as Error).message}`);
  }
}

/** In a shared /tmp somebody else may have put a link or a directory of theirs there first. */
function ownDirectory(path: string, mode: number): string {
  makeDirectory(path, mode);
  const stats = lstatSync(path);
  if (!stats.isDirectory())
    throw new UsageError(`The session directory ${path} is a file or a link; remove it`);
  if (process.getuid !== undefined && stats.uid !== process.getuid()) {
    throw new UsageError(
      `The session directory ${path} belongs to user id ${stats.uid}; choose another with --session-dir`,
    );
  }
  if ((stats.mode & 0o777) !== mode) chmodSync(path, mode);
  return path;
}
