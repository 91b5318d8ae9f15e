import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** A directory and its parents. Node's own recursive way never returns where a file system makes none (/proc). */
export function makeDirectory(path: string, mode = 0o777): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
