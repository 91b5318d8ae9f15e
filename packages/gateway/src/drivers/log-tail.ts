import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { runFiles } from './inside.ts';

const tailBytes = 2_048;
const tailLines = 3;

/** The end of a sandbox server's log as the end of a sentence, or nothing. */
export function logTail(run: string): string {
  const lines = readTail(join(run, runFiles.log))
    .split('\n')
    .map((line) => line.replace(/\p{Cc}/gu, ' ').trim())
    .filter((line) => line !== '')
    .slice(-tailLines);
  return lines.length === 0 ? '' : `. Its log ends with: ${lines.join(' / ')}`;
}

/** The sandbox can put anything in its log's place: a link to a file that is not its own, a pipe that never ends. */
function readTail(path: string): string {
  let file;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return '';
    const bytes = Buffer.alloc(tailBytes);
    const length = readSync(file, bytes, 0, tailBytes, Math.max(0, stats.size - tailBytes));
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
