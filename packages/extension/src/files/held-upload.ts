import { storeUpload } from '@fairlead/executor';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Keeps the upload aside while the user is asked: its sender should not have to wait in the middle of it. */
export async function heldUpload(
  stream: Readable,
  name: string,
  use: (temporary: string, name: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-upload-'));
  try {
    await use(await storeUpload(stream, directory, name), name);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
