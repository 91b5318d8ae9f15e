import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Writes over the content of an existing file, for the few files that a rename would harm: those with several
 * names, those of another owner, those that are mounted alone or lie in a directory that may not be written.
 * The old content comes back when the new one does not fit; a crash of the machine in between is not covered.
 */
export async function writeInPlace(target: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(target, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const old = await handle.readFile();
    try {
      await fill(handle, bytes);
    } catch (error) {
      // These blocks are still the file's own, so this needs no space.
      await fill(handle, old);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function fill(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length)
    written += (await handle.write(bytes, written, bytes.length - written, written)).bytesWritten;
  await handle.truncate(bytes.length);
  await handle.sync();
}
