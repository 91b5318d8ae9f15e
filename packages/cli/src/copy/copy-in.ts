import { openAsBlob, type Stats } from 'node:fs';
import { copyFile, link, stat } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { zipPath } from '@fairlead/executor';
import { CliError } from '../cli-error.ts';
import type { Copy } from './copy.ts';
import { absolutePath, kindOf } from './remote-path.ts';
import { withTemporaryDirectory } from './temporary-directory.ts';

/** Copies a file or folder of this machine into a session; answers with its path there. */
export async function copyIn({ session, source, destination, cwd, onProgress }: Copy): Promise<string> {
  const path = resolve(cwd, source);
  const stats = await statsOf(path);
  if (!stats.isDirectory() && !stats.isFile()) {
    throw new CliError(`${path} is neither a file nor a folder; only those can be copied.`);
  }
  const wanted = await absolutePath(session, destination);
  const isInto =
    destination.endsWith('/') || destination === '' || (await kindOf(session, wanted)) === 'directory';
  const target = isInto ? posix.join(wanted, basename(path)) : wanted;
  onProgress(`Copying ${path} …`);
  if (stats.isDirectory()) await sendArchive(path, target);
  else await sendFile(path, posix.dirname(target), posix.basename(target));
  return target;

  async function sendArchive(folder: string, directory: string): Promise<void> {
    const { stream } = await zipPath(folder);
    const data = Readable.toWeb(stream) as ReadableStream<Uint8Array>;
    await session.upload(data, { directory, name: 'folder.zip', isArchive: true });
  }

  async function sendFile(file: string, directory: string, name: string): Promise<void> {
    if (!name.toLowerCase().endsWith('.zip')) {
      return session.upload(await openAsBlob(file), { directory, name });
    }
    // The sandbox unpacks what has this name: so it goes in a zip of its own.
    await withTemporaryDirectory(async (temporary) => {
      await link(file, join(temporary, name)).catch(() => copyFile(file, join(temporary, name)));
      await sendArchive(temporary, directory);
    });
  }
}

async function statsOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(
      code === 'ENOENT' ? `There is no file or folder ${path}.` : `Cannot read ${path}: ${message}`,
    );
  }
}
