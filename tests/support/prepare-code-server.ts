import { existsSync, mkdirSync, rmdirSync, statSync, utimesSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installEditor } from '../../packages/cli/src/editor/install-editor.ts';
import { findInstalledEditor, type InstalledEditor } from '../../packages/cli/src/editor/installed-editor.ts';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fairlead-tests');

/** For editors of all versions, of this machine's tests and benchmarks. */
export const codeServerDirectory = join(cache, 'editors');

export function isCodeServerPrepared(): boolean {
  return findInstalledEditor(codeServerDirectory) !== undefined;
}

/** A real code-server as Fairlead installs it: compiled once on a machine, and kept in the user's cache. */
export async function prepareCodeServer(signal?: AbortSignal): Promise<InstalledEditor> {
  mkdirSync(cache, { recursive: true });
  return (
    findInstalledEditor(codeServerDirectory) ?? alone(`${codeServerDirectory}.lock`, () => install(signal))
  );
}

function install(signal: AbortSignal | undefined): Promise<InstalledEditor> {
  return installEditor({
    directory: codeServerDirectory,
    onProgress: (line) => void process.stderr.write(`editor: ${line}\n`),
    ...(signal !== undefined && { signal }),
  });
}

const abandonedMs = 30_000;

/** Suites run at the same time, and one compiler is enough. */
async function alone<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  while (!take(lock)) await delay(500);
  const hold = setInterval(() => utimesSync(lock, new Date(), new Date()), abandonedMs / 10);
  try {
    return await work();
  } finally {
    clearInterval(hold);
    rmdirSync(lock);
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const heldAtMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (heldAtMs !== undefined && Date.now() - heldAtMs > abandonedMs && existsSync(lock)) rmdirSync(lock);
    return false;
  }
}
