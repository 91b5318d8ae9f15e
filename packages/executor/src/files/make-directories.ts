import { chown, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Owner } from './atomic-write.ts';

/** Makes the directory and what is missing above it; what is new belongs to `owner`. */
export async function makeDirectories(path: string, owner: Owner | undefined): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined || owner === undefined) return;
  let current = resolve(path);
  while (current.length >= first.length) {
    await chown(current, owner.uid, owner.gid);
    current = dirname(current);
  }
}
