import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Owner, replaceFile, writableFile } from './atomic-write.ts';
import { diskError, isDirectory, specialFile } from './disk-error.ts';
import { linkTarget } from './disk-links.ts';
import type { DirectoryEntry, FileHost, FileKind, FileStat, WriteOptions, WrittenFile } from './file-host.ts';
import { makeDirectories } from './make-directories.ts';
import { writeInPlace } from './write-in-place.ts';

/** The disk. As root with an `owner`, new files and directories belong to that owner. */
export class NodeFileHost implements FileHost {
  readonly #owner: Owner | undefined;

  constructor(options: { owner?: Owner } = {}) {
    this.#owner = process.getuid?.() === 0 ? options.owner : undefined;
  }

  async stat(path: string): Promise<FileStat> {
    const stats = await told(path, () => stat(path));
    return { kind: kindOf(stats), size: stats.size };
  }

  readFile(path: string, limitBytes = Infinity): Promise<Uint8Array> {
    return told(path, async () => {
      refuseAllButFiles(await stat(path), path);
      // Without O_NONBLOCK, a pipe that took the file's place would hold a worker thread for good.
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const stats = await handle.stat();
        refuseAllButFiles(stats, path);
        return await readUpTo(handle, stats.size, limitBytes);
      } finally {
        await handle.close();
      }
    });
  }

  writeFile(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<WrittenFile> {
    return told(path, async () => {
      if (options.createParents) await makeDirectories(dirname(path), this.#owner);
      await this.#replace(await linkTarget(path), bytes);
      return { bytes };
    });
  }

  list(path: string): Promise<DirectoryEntry[]> {
    return told(path, async () => {
      const entries = await readdir(path, { withFileTypes: true });
      return Promise.all(entries.map((entry) => resolved(path, entry)));
    });
  }

  canonicalPath(path: string): Promise<string> {
    return told(path, () => linkTarget(path));
  }

  async #replace(target: string, bytes: Uint8Array): Promise<void> {
    const old = await writableFile(target);
    if (old !== undefined && old.nlink > 1) return writeInPlace(target, bytes);
    try {
      await replaceFile(target, (handle) => handle.writeFile(bytes), this.#owner);
    } catch (error) {
      if (old === undefined || !renameImpossible.has((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
      await writeInPlace(target, bytes);
    }
  }
}

/** The directory may not be written, the owner may not be given away, the file is a mount of its own. */
const renameImpossible = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);

async function told<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw diskError(error, path);
  }
}

function kindOf(stats: Stats | Dirent): FileKind {
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() ? 'file' : 'other';
}

function refuseAllButFiles(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw isDirectory(path);
  if (!stats.isFile()) throw specialFile(path);
}

async function resolved(directory: string, entry: Dirent): Promise<DirectoryEntry> {
  if (!entry.isSymbolicLink()) return { name: entry.name, kind: kindOf(entry) };
  try {
    return { name: entry.name, kind: kindOf(await stat(join(directory, entry.name))) };
  } catch {
    return { name: entry.name, kind: 'broken' };
  }
}

/** The size is a hint only: files under /proc say 0, and a log grows while it is read. */
async function readUpTo(handle: FileHandle, sizeHint: number, limitBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let total = 0;
  let wanted = sizeHint + 1;
  while (total < limitBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(Math.max(wanted, 16_384), limitBytes - total, 8_388_608));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
    wanted -= bytesRead;
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total);
}
