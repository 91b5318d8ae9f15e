import { constants, type Dirent, type Stats } from 'node:fs';
import { access, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { diskError } from './disk-error.ts';

export interface TreeEntry {
  kind: 'file' | 'directory';
  /** Relative to the root, with `/`. */
  name: string;
  /** Bytes, since a name need not be UTF-8. */
  location: Buffer;
  stats: Stats;
}

/** All readable files of a tree and its empty directories, in order; rejects where something may not be read. */
export async function walkTree(root: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const pending = [{ name: '', location: Buffer.from(root) }];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const children = await readdir(directory.location, { withFileTypes: true, encoding: 'buffer' }).catch(
      denied(directory.location),
    );
    if (children.length === 0 && directory.name !== '')
      entries.push({ kind: 'directory', ...directory, stats: await lstat(directory.location) });
    for (const child of children) {
      const location = Buffer.concat([directory.location, Buffer.from(sep), child.name]);
      const name = `${directory.name === '' ? '' : `${directory.name}/`}${safeName(child.name)}`;
      if (child.isDirectory()) pending.push({ name, location });
      else await addFile(entries, root, child, name, location);
    }
  }
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function addFile(
  entries: TreeEntry[],
  root: string,
  child: Dirent<Buffer>,
  name: string,
  location: Buffer,
): Promise<void> {
  if (child.isSymbolicLink()) {
    const target = await realpath(location).catch(() => undefined);
    if (target === undefined || !target.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return;
  } else if (!child.isFile()) return;
  // Gone since the directory was read: as if it had gone before.
  const stats = await stat(location).catch(() => undefined);
  if (!stats?.isFile()) return;
  await access(location, constants.R_OK).catch(denied(location));
  entries.push({ kind: 'file', name, location, stats });
}

/** In a zip a name is UTF-8, `\` would be a separator and `c:` a drive. */
export function safeName(name: Buffer): string {
  return name
    .toString('utf8')
    .replaceAll('\\', '_')
    .replace(/^([A-Za-z]):/, '$1_');
}

function denied(location: Buffer): (error: unknown) => never {
  return (error) => {
    throw diskError(error, location.toString());
  };
}
