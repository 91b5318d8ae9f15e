import { open } from 'node:fs/promises';
import { join } from 'node:path';

interface Shape {
  what: string;
  /** Repeated until the file is full. */
  piece: string;
}

export const outputShapes: readonly Shape[] = [
  {
    what: '100-byte lines',
    piece: `${'the quick brown fox jumps over the lazy dog '.repeat(3).slice(0, 99)}\n`,
  },
  { what: '2-byte lines', piece: 'y\n' },
  { what: 'one line', piece: 'x' },
];

export interface OutputFile {
  what: string;
  path: string;
  megabytes: number;
  /** As a terminal delivers them: with a carriage return before every line feed. */
  terminalBytes: number;
}

export async function makeOutputFile(
  directory: string,
  { what, piece }: Shape,
  megabytes: number,
): Promise<OutputFile> {
  const totalBytes = megabytes * 1_000_000;
  const path = join(directory, `${megabytes}-MB-${what.replaceAll(' ', '-')}`);
  const block = Buffer.from(piece.repeat(1_000_000 / piece.length));
  const file = await open(path, 'w');
  for (let written = 0; written < totalBytes; written += block.length) await file.write(block);
  await file.close();
  const newlines = piece.endsWith('\n') ? totalBytes / piece.length : 0;
  return { what: `${megabytes} MB, ${what}`, path, megabytes, terminalBytes: totalBytes + newlines };
}
