import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { diskError } from './disk-error.ts';

const maximumLinks = 40;

/** Where a write to `path` lands: the end of its chain of links, also when nothing is there yet. */
export async function linkTarget(path: string): Promise<string> {
  let current = path;
  for (let links = 0; links <= maximumLinks; links++) {
    const stats = await lstat(current).catch(missing);
    const directory = await realpath(dirname(current)).catch(missing);
    if (directory === undefined) return current;
    if (!stats?.isSymbolicLink()) return join(directory, basename(current));
    current = resolve(directory, await readlink(current));
  }
  throw diskError({ code: 'ELOOP' }, path);
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
