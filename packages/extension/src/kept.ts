import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One thing that is remembered over reloads of the window, of any form that JSON has. */
export interface Kept {
  get(): unknown;
  /** Undefined forgets it. */
  set(value: unknown): void;
}

/** What is remembered for this workspace, by name. */
export type KeptState = (name: string) => Kept;

/** In files, for this user alone. A disk that takes nothing more is told, and is no reason to stop what is being done. */
export function keptIn(directory: string, failed: (problem: string) => void): KeptState {
  return (name) => {
    const path = join(directory, `${name}.json`);
    return {
      get: () => read(path),
      set(value) {
        try {
          if (value === undefined) rmSync(path, { force: true });
          else write(directory, path, JSON.stringify(value));
        } catch (error) {
          failed(`${name} is not remembered: ${(error as Error).message}`);
        }
      },
    };
  };
}

function write(directory: string, path: string, text: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const written = `${path}.${process.pid}`;
  writeFileSync(written, text, { mode: 0o600 });
  renameSync(written, path);
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
