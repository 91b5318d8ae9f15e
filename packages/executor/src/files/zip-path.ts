import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { diskError, specialFile } from './disk-error.ts';
import { safeName, type TreeEntry, walkTree } from './walk-tree.ts';
import { zipStream, type ZipSource } from './zip-stream.ts';

/**
 * A directory, or a single file, as a zip that is made while it is read: stored, names relative to `path`, empty
 * directories kept. All that can be known to fail fails here, before the first byte.
 *
 * A link to a file inside `path` is stored as that file, since many readers of zips make no links. Other links
 * (to directories, out of `path`, to nothing), pipes, sockets and devices are left out.
 */
export async function zipPath(path: string): Promise<{ stream: Readable; fileName: string }> {
  try {
    const root = await realpath(path);
    const entries = await entriesOf(root);
    return { stream: zipStream(entries.map(asSource)), fileName: `${basename(path) || 'files'}.zip` };
  } catch (error) {
    throw diskError(error, path);
  }
}

async function entriesOf(root: string): Promise<TreeEntry[]> {
  const stats = await stat(root);
  if (stats.isDirectory()) return walkTree(root);
  if (!stats.isFile()) throw specialFile(root);
  await access(root, constants.R_OK);
  return [{ kind: 'file', name: safeName(Buffer.from(basename(root))), location: Buffer.from(root), stats }];
}

function asSource(entry: TreeEntry): ZipSource {
  const { kind, name } = entry;
  const { mtime, mode, size } = entry.stats;
  return { kind, name, mtime, mode, size, open: () => openEntry(entry) };
}

async function openEntry({ location, name }: TreeEntry): Promise<Readable> {
  const handle = await open(location, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    throw specialFile(name);
  }
  return handle.createReadStream();
}
