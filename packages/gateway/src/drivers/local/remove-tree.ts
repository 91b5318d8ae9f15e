import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a directory that was a sandbox's, also where the sandbox has closed directories to their owner. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    await openDirectories(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openDirectories(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openDirectories(join(path, entry.name));
}
