import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const readBytes = 8_192;
const shownLines = 3;
const lineLimit = 300;

/** The last lines that the editor has said since a time. */
export function endOfLog(path: string, sinceMs: number): string {
  try {
    // The home belongs to the session: what is there may be anything.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = openSync(path, flags);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.mtimeMs < sinceMs) return '';
      const buffer = Buffer.alloc(Math.min(readBytes, stats.size));
      const size = readSync(file, buffer, 0, buffer.length, stats.size - buffer.length);
      return lastLines(buffer.subarray(0, size).toString('utf8'));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(-shownLines)
    .map((line) => line.slice(0, lineLimit))
    .join('\n');
}
