import { chmod, chown, lchown, lstat, mkdir, realpath, rename, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createWriteStream } from 'node:fs';
import { type Owner, temporaryName } from './atomic-write.ts';
import { diskError } from './disk-error.ts';
import { FileError } from './file-host.ts';
import { makeDirectories } from './make-directories.ts';
import { forEachEntry, type ZipEntry } from './zip-entries.ts';
import { checkEntries } from './zip-check.ts';

export interface UnpackOptions {
  /** Whose the new files are, when the server runs as root. */
  owner?: Owner;
  /** Nothing more is written after it. */
  signal?: AbortSignal;
}

/**
 * Unpacks a zip into a directory, which is made when missing. Every name is checked before anything is written:
 * nothing may land outside the directory, not by its name and not through a link.
 */
export async function unpackZip(
  zip: string,
  destination: string,
  options: UnpackOptions = {},
): Promise<void> {
  const owner = process.getuid?.() === 0 ? options.owner : undefined;
  try {
    await checkEntries(zip, await realpath(destination).catch(() => destination));
    await makeDirectories(destination, owner);
    await extract(zip, await realpath(destination), owner, options.signal);
  } catch (error) {
    throw diskError(error, destination);
  }
}

async function extract(
  zip: string,
  root: string,
  owner: Owner | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const links: { parts: string[]; target: string }[] = [];
  const directoryModes: { path: string; mode: number }[] = [];
  await forEachEntry(zip, async (entry) => {
    signal?.throwIfAborted();
    // Last, so that no file can be written through one.
    if (entry.kind === 'link')
      return void links.push({ parts: entry.parts, target: await entry.linkTarget() });
    const parts = entry.kind === 'directory' ? entry.parts : entry.parts.slice(0, -1);
    await makePlainDirectories(root, parts, owner);
    const path = join(root, ...entry.parts);
    if (entry.kind === 'file') await extractFile(entry, path, owner);
    // Now it would keep its own files out.
    else if (entry.mode !== undefined) directoryModes.push({ path, mode: entry.mode });
  });
  signal?.throwIfAborted();
  for (const { parts, target } of links) await makeLink(root, parts, target, owner);
  for (const { path, mode } of directoryModes.reverse()) await chmod(path, mode);
}

/** One directory after the other, because a link in between would lead elsewhere. */
async function makePlainDirectories(root: string, parts: string[], owner: Owner | undefined): Promise<void> {
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) {
      await mkdir(path, 0o775);
      if (owner !== undefined) await chown(path, owner.uid, owner.gid);
    } else if (!stats.isDirectory()) throw inTheWay(path, stats.isSymbolicLink());
  }
}

/** By way of a new file, so that a link of that name is replaced and not followed. */
async function extractFile(entry: ZipEntry, path: string, owner: Owner | undefined): Promise<void> {
  const temporary = temporaryName(dirname(path));
  try {
    await pipeline(await entry.open(), createWriteStream(temporary, { flags: 'wx', mode: 0o600 }));
    if (owner !== undefined) await chown(temporary, owner.uid, owner.gid);
    await chmod(temporary, entry.mode ?? 0o664);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw diskError(error, path);
  }
}

async function makeLink(
  root: string,
  parts: string[],
  target: string,
  owner: Owner | undefined,
): Promise<void> {
  const path = join(root, ...parts);
  await makePlainDirectories(root, parts.slice(0, -1), owner);
  const temporary = temporaryName(dirname(path));
  try {
    await symlink(target, temporary);
    if (owner !== undefined) await lchown(temporary, owner.uid, owner.gid);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw diskError(error, path);
  }
}

function inTheWay(path: string, isLink: boolean): FileError {
  return new FileError(
    isLink ? 'bad-archive' : 'not-directory',
    path,
    isLink
      ? `Refused to unpack through the link ${path}.`
      : `Not a directory: ${path} is in the way of the archive.`,
  );
}
