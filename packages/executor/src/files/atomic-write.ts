import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDirectory, specialFile } from './disk-error.ts';

export interface Owner {
  uid: number;
  gid: number;
}

const newFileMode = 0o664;

/**
 * Puts what `fill` writes in the place of `target` in one step, keeping mode and owner; on any failure `target`
 * is as it was and nothing else is left behind. `target` has its links followed already.
 */
export async function replaceFile(
  target: string,
  fill: (handle: FileHandle) => Promise<void>,
  newOwner: Owner | undefined,
): Promise<void> {
  const old = await writableFile(target);
  const temporary = temporaryName(dirname(target));
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      await fill(handle);
      await takeOwnerAndMode(handle, old, newOwner);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Hidden, unguessable, and short enough for every file system; in the same directory so that a rename is possible. */
export function temporaryName(directory: string): string {
  return join(directory, `.fairlead-${randomBytes(8).toString('hex')}.tmp`);
}

/** The file that is there, refused where it is no file or may not be written: a rename would not ask. */
export async function writableFile(target: string): Promise<Stats | undefined> {
  const stats = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) throw isDirectory(target);
  if (!stats.isFile()) throw specialFile(target);
  await access(target, constants.W_OK);
  return stats;
}

async function takeOwnerAndMode(handle: FileHandle, old: Stats | undefined, newOwner: Owner | undefined) {
  const owner = old ?? newOwner;
  if (owner !== undefined) {
    const current = await handle.stat();
    if (current.uid !== owner.uid || current.gid !== owner.gid) await handle.chown(owner.uid, owner.gid);
  }
  // After the owner: changing that clears the set-user-id bit.
  await handle.chmod(old === undefined ? newFileMode : old.mode & 0o7777);
}
