import { pipeline, type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { FileError } from './file-host.ts';

export interface ZipEntry {
  kind: 'file' | 'directory' | 'link';
  /** As written in the archive. */
  name: string;
  parts: string[];
  /** Permission bits, where the archive has them; without set-user-id and the like. */
  mode: number | undefined;
  open(): Promise<Readable>;
  linkTarget(): Promise<string>;
}

const maximumLinkBytes = 4096;

/** Visits the entries one after the other, holding one at a time; rejects at the first that cannot be trusted. */
export async function forEachEntry(path: string, visit: (entry: ZipEntry) => Promise<void>): Promise<void> {
  const zip = await yauzl
    .openPromise(path, { strictFileNames: true, autoClose: false })
    .catch((error: NodeJS.ErrnoException) => {
      throw error.code === undefined
        ? new FileError('bad-archive', path, `${path} is not a zip file`)
        : error;
    });
  try {
    const entries = zip.eachEntry();
    for (;;) {
      const next = await entries.next().catch((error: Error) => {
        throw refused(path, error.message);
      });
      if (next.done) return;
      await visit(describe(path, zip, next.value));
    }
  } finally {
    zip.close();
  }
}

export function refused(path: string, reason: string): FileError {
  return new FileError('bad-archive', path, `Refused to unpack ${path}: ${reason}`);
}

function describe(path: string, zip: yauzl.ZipFile, entry: yauzl.Entry): ZipEntry {
  const name = entry.fileName;
  if (!entry.canDecodeFileData())
    throw refused(path, `cannot decode ${name} (encrypted, or an unusual compression)`);
  const unixMode = madeByUnix(entry) ? entry.externalFileAttributes >>> 16 : 0;
  const open = async () =>
    pipeline(await zip.openReadStreamPromise(entry), checked(path, entry), () => undefined);
  return {
    kind: kindOf(path, name, unixMode & 0o170000),
    name,
    parts: name.split('/').filter((part) => part !== '' && part !== '.'),
    mode: unixMode === 0 ? undefined : unixMode & 0o777,
    open,
    linkTarget: async () => {
      if (entry.uncompressedSize > maximumLinkBytes) throw refused(path, `the link ${name} is too long`);
      return (await buffer(await open())).toString('utf8');
    },
  };
}

function madeByUnix({ versionMadeBy }: yauzl.Entry): boolean {
  const system = versionMadeBy >>> 8;
  return system === 3 || system === 19;
}

function kindOf(path: string, name: string, type: number): ZipEntry['kind'] {
  if (type === 0o120000) return 'link';
  if (name.endsWith('/') || type === 0o040000) return 'directory';
  if (type === 0o100000 || type === 0) return 'file';
  throw refused(path, `${name} is a device or a pipe`);
}

/** Passes the bytes on and fails at the end when they are not the ones that were packed. */
function checked(path: string, entry: yauzl.Entry): Transform {
  let sum = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
    flush(done) {
      done(sum === entry.crc32 ? null : refused(path, `${entry.fileName} is damaged (wrong checksum)`));
    },
  });
}
