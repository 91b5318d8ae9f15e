import type { Readable } from 'node:stream';
import yazl from 'yazl';
import { diskError } from './disk-error.ts';

export interface ZipSource {
  kind: 'file' | 'directory';
  /** With `/` between its parts. */
  name: string;
  mtime: Date;
  mode: number;
  size: number;
  /** Called when its turn has come. */
  open(): Promise<Readable>;
}

/** A size from which an entry needs the long form of a zip, with room for a file that still grows. */
const longFormBytes = 2 ** 31;

/** A zip that is made while it is read: stored, one file open at a time. */
export function zipStream(entries: ZipSource[]): Readable {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  zip.on('error', (error: Error) => output.destroy(error));
  // A reader that goes away must not leave a file open.
  output.once('close', () => current?.destroy());
  for (const { kind, name, mtime, mode, size, open } of entries) {
    if (kind === 'directory') {
      zip.addEmptyDirectory(name, { mtime, mode });
      continue;
    }
    const options = { mtime, mode, compress: false, forceZip64Format: size >= longFormBytes };
    zip.addReadStreamLazy(name, options, (give) => {
      open().then(
        (stream) => {
          if (output.destroyed) return void stream.destroy();
          current = stream;
          stream.once('error', (error) => output.destroy(error));
          give(null, stream);
        },
        (error: unknown) => output.destroy(diskError(error, name)),
      );
    });
  }
  zip.end();
  return output;
}
