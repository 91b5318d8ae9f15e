import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { type Owner, replaceFile } from './atomic-write.ts';
import { diskError } from './disk-error.ts';
import { linkTarget } from './disk-links.ts';
import { FileError } from './file-host.ts';
import { makeDirectories } from './make-directories.ts';

export interface UploadOptions {
  /** Whose the new file and directories are, when the server runs as root. */
  owner?: Owner;
}

/**
 * Stores a stream as a file of the directory, which is made when missing. The file appears when the stream has
 * ended well, and not at all otherwise. Answers with its path.
 */
export async function storeUpload(
  stream: Readable,
  directory: string,
  fileName: string,
  options: UploadOptions = {},
): Promise<string> {
  const owner = process.getuid?.() === 0 ? options.owner : undefined;
  try {
    const path = join(resolve(directory), plainName(fileName));
    await makeDirectories(directory, owner);
    await replaceFile(await linkTarget(path), (handle) => copy(stream, handle), owner);
    return path;
  } catch (error) {
    stream.destroy();
    throw diskError(error, directory);
  }
}

/** Browsers and scripts send whole paths as names; only the last part is one. */
export function plainName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1) ?? '';
  if (name !== '' && name !== '.' && name !== '..' && !name.includes('\0')) return name;
  throw new FileError(
    'bad-name',
    fileName,
    `Not a file name: ${JSON.stringify(fileName)}. Give the upload a name.`,
  );
}

async function copy(stream: Readable, handle: FileHandle): Promise<void> {
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    let written = 0;
    while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
  }
}
