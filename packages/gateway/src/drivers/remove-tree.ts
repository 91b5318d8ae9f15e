import { execFile } from 'node:child_process';
import { rmdir, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Removes whatever a sandbox has left there, also where it has closed directories to their owner. */
export async function removeTree(path: string): Promise<void> {
  if ((await isRemoved(unlink(path))) || (await isRemoved(rmdir(path)))) return;
  // In processes of their own: there may be millions of files, deeper than a path can say, and the gateway goes on.
  try {
    await run('rm', ['-rf', '--', path]);
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', path]);
    await run('rm', ['-rf', '--', path]);
  }
}

/** Nothing to remove is as good; what one call cannot remove is left to the next, which says why. */
async function isRemoved(removal: Promise<void>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
