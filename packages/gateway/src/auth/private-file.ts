import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { randomId } from './random-text.ts';

/** False when there is such a file already. It is never seen half written, whoever else makes it at the same time. */
export function createPrivateFile(path: string, content: string | Uint8Array): boolean {
  const draft = `${path}.${randomId(12)}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw new Error(`Cannot write ${path}: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Undefined when there is none. Closes it to others, if somebody has opened it to them. */
export function readPrivateFile(path: string): Buffer | undefined {
  try {
    chmodSync(path, 0o600);
    return readFileSync(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw new Error(`Cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
