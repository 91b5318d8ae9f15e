import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, type PlatformPath, resolve } from 'node:path';
import * as platformPath from 'node:path';

/** Whether file names differ by more than their case on this machine. */
export const isCaseSensitive = process.platform !== 'win32' && process.platform !== 'darwin';

/** Whether `path` is `root` or lies below it; by names alone, so follow links first. */
export function isInside(
  root: string,
  path: string,
  {
    paths = platformPath,
    caseSensitive = isCaseSensitive,
  }: { paths?: PlatformPath; caseSensitive?: boolean } = {},
): boolean {
  const fold = (given: string) => (caseSensitive ? given : given.toLowerCase());
  const way = paths.relative(fold(root), fold(path));
  return way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way);
}

/** Where `path` really is with every link followed, also when nothing is there yet. */
export async function realLocation(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const parent = dirname(absolute);
  if (parent === absolute) return absolute;
  const realParent = await realLocation(parent);
  const isLink = await lstat(absolute).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  // A link to nothing: what is written to it appears where it points.
  if (isLink) return realLocation(resolve(realParent, await readlink(absolute)));
  return join(realParent, basename(absolute));
}
