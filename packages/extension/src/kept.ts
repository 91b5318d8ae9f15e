import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';

/** One thing that is remembered over reloads of the window, of any form that JSON has. */
export interface Kept {
  get(): unknown;
  /** Undefined forgets it. */
  set(value: unknown): void;
}

/** What is remembered for this workspace, by name. */
export type KeptState = (name: string) => Kept;

/**
 * In files of the extension's storage for this workspace, written at once: VS Code's own state would lose what happened a
 * moment before a reload, since a browser writes it down seconds later. A window without a folder has no such storage,
 * and remembers nothing.
 */
export function keptState({ storageUri }: Pick<vscode.ExtensionContext, 'storageUri'>): KeptState {
  return storageUri?.scheme === 'file' ? keptIn(storageUri.fsPath) : untilReload();
}

export function keptIn(directory: string): KeptState {
  return (name) => {
    const path = join(directory, `${name}.json`);
    return {
      get: () => read(path),
      set(value) {
        if (value === undefined) return rmSync(path, { force: true });
        mkdirSync(directory, { recursive: true });
        const written = `${path}.${process.pid}`;
        writeFileSync(written, JSON.stringify(value), { mode: 0o600 });
        renameSync(written, path);
      },
    };
  };
}

function untilReload(): KeptState {
  const values = new Map<string, unknown>();
  return (name) => ({ get: () => values.get(name), set: (value) => void values.set(name, value) });
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
