import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import yazl from 'yazl';
import { diskError, specialFile } from './disk-error.ts';
import { safeName, type TreeEntry, walkTree } from './walk-tree.ts';

/** A size from which an entry needs the long form of a zip, with room for a file that still grows. */
const longFormBytes = 2 ** 31;

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
    return { stream: zipOf(entries), fileName: `${basename(path) || 'files'}.zip` };
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

function zipOf(entries: TreeEntry[]): Readable {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  zip.on('error', (error: Error) => output.destroy(error));
  // A reader that goes away must not leave a file open.
  output.once('close', () => current?.destroy());
  for (const entry of entries) {
    const { mtime, mode, size } = entry.stats;
    if (entry.kind === 'directory') {
      zip.addEmptyDirectory(entry.name, { mtime, mode });
      continue;
    }
    const options = { mtime, mode, compress: false, forceZip64Format: size >= longFormBytes };
    zip.addReadStreamLazy(entry.name, options, (give) => {
      openEntry(entry).then(
        (stream) => {
          if (output.destroyed) return void stream.destroy();
          current = stream;
          stream.once('error', (error) => output.destroy(error));
          give(null, stream);
        },
        (error: unknown) => output.destroy(diskError(error, entry.name)),
      );
    });
  }
  zip.end();
  return output;
}

async function openEntry({ location, name }: TreeEntry): Promise<Readable> {
  const handle = await open(location, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    throw specialFile(name);
  }
  return handle.createReadStream();
}
