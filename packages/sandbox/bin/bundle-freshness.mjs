// Plain JavaScript that Node 20 can read, like the command itself.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A bundle stands for its sources only as long as none of them has changed. */
export function isBundleFresh(packageDirectory) {
  const stamps = join(packageDirectory, 'dist', 'sources.json');
  if (!existsSync(stamps)) return false;
  return JSON.parse(readFileSync(stamps, 'utf8')).every(([path, mtimeMs, size]) => {
    const stats = statSync(join(packageDirectory, path), { throwIfNoEntry: false });
    return stats?.mtimeMs === mtimeMs && stats.size === size;
  });
}
