import { createWriteStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeWebStream } from 'node:stream/web';
import { unpackZip } from '@fairlead/executor';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Copy } from './copy.ts';
import { absolutePath, kindOf } from './remote-path.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';

/** Copies a file or folder of a session to this machine; answers with its path here. */
export async function copyOut({ session, source, destination, cwd, onProgress }: Copy): Promise<string> {
  const path = await absolutePath(session, source);
  const kind = await kindOf(session, path);
  if (kind === 'none') {
    throw new CliError(
      `There is no file or folder ${path} in ${session.id}.`,
      'not-found',
      exitCodes.refused,
    );
  }
  const wanted = resolve(cwd, destination);
  const isInto = destination.endsWith('/') || (await isDirectory(wanted));
  const target = isInto ? join(wanted, posix.basename(path)) : wanted;
  if (kind === 'file' && (await isDirectory(target))) {
    throw new CliError(`${target} is a folder and ${path} is a file; name another destination.`);
  }
  onProgress(`Copying ${path} …`);
  await withTemporaryDirectory(async (temporary) => {
    const zip = join(temporary, 'download.zip');
    await pipeline(Readable.fromWeb((await session.download(path)) as NodeWebStream), createWriteStream(zip));
    if (kind === 'directory') return unpackZip(zip, target);
    await mkdir(dirname(target), { recursive: true });
    // Beside the target, so that it can be moved there in one step.
    await withTemporaryDirectory(async (unpacked) => {
      await unpackZip(zip, unpacked);
      await rename(join(unpacked, posix.basename(path)), target);
    }, dirname(target));
  });
  return target;
}

async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}
