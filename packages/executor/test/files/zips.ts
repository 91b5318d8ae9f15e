import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { python } from './python.ts';

export interface PackedEntry {
  name: string;
  content?: string;
  /** Unix mode with its type bits; none as in a zip made elsewhere. */
  mode?: number;
  deflated?: boolean;
}

/** Packs with Python's zipfile, which lets every name pass. */
export function pack(path: string, entries: PackedEntry[]): void {
  packAll([{ path, entries }]);
}

export function packAll(archives: { path: string; entries: PackedEntry[] }[]): void {
  python(
    `import zipfile, warnings
warnings.simplefilter('ignore')
def add(archive, entry):
    info = zipfile.ZipInfo('x')
    info.filename = entry['name']
    mode = entry.get('mode')
    info.create_system = 0 if mode is None else 3
    info.external_attr = (mode or 0) << 16
    info.compress_type = zipfile.ZIP_DEFLATED if entry.get('deflated') else zipfile.ZIP_STORED
    archive.writestr(info, entry.get('content', ''))
for wanted in given:
    with zipfile.ZipFile(wanted['path'], 'w') as archive:
        for entry in wanted['entries']: add(archive, entry)
answer = None`,
    archives,
  );
}

export interface UnpackedEntry {
  name: string;
  content: string;
  mode: number;
  stored: boolean;
}

/** Reads with Python's zipfile, as the clients do; fails on a damaged archive. */
export function contents(path: string): UnpackedEntry[] {
  return python(
    `import zipfile
with zipfile.ZipFile(given) as archive:
    assert archive.testzip() is None
    answer = [{'name': i.filename, 'content': archive.read(i).decode(), 'mode': i.external_attr >> 16 & 0o7777,
               'stored': i.compress_type == zipfile.ZIP_STORED} for i in archive.infolist()]`,
    path,
  ) as UnpackedEntry[];
}

export async function save(stream: NodeJS.ReadableStream, path: string): Promise<void> {
  await pipeline(stream, createWriteStream(path));
}
