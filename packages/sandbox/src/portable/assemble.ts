import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Library } from './shared-libraries.ts';

/** Where each file or directory of the bundle comes from. */
export interface Parts {
  node: string;
  libraries: Library[];
  /** Files by name. */
  server: Library[];
  /** Packages by name that are loaded as they are. */
  packages: Library[];
}

const unusedForMs = 30 * 24 * 60 * 60 * 1000;

/** Puts the parts together in one directory, once: what is there already is used as it is. */
export async function assemble(
  directory: string,
  parts: Parts,
  finish: (directory: string) => Promise<void>,
): Promise<void> {
  if (existsSync(directory)) return markUsed(directory);
  const half = `${directory}.${randomUUID()}`;
  try {
    fill(half, parts);
    await finish(half);
    makeReadable(half);
    putInPlace(half, directory);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  removeUnused(dirname(directory));
}

function markUsed(directory: string): void {
  try {
    const now = new Date();
    utimesSync(directory, now, now);
  } catch {
    // Somebody else's, who looks after it.
  }
}

/** Sandboxes live long and go on loading from where they were started, so others stay for a good while. */
function removeUnused(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > unusedForMs) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

function fill(directory: string, { node, libraries, server, packages }: Parts): void {
  place(node, join(directory, 'bin', 'node'), linkOrCopy);
  for (const { name, source } of libraries) place(source, join(directory, 'lib', name), copyFileSync);
  for (const { name, source } of server) place(source, join(directory, 'server', name), copyFileSync);
  for (const { name, source } of packages) {
    place(source, join(directory, 'node_modules', name), (from, to) => cpSync(from, to, { recursive: true }));
  }
}

function place(source: string, target: string, put: (source: string, target: string) => void): void {
  mkdirSync(dirname(target), { recursive: true });
  put(source, target);
}

/** Node has 120 MB. */
function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    // On another file system, or not ours.
    copyFileSync(source, target);
  }
}

/** Inside a sandbox it is read by whoever runs there. */
function makeReadable(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (!isReadable(path)) chmodSync(path, statSync(path).mode | 0o444);
  }
}

function isReadable(path: string): boolean {
  return (statSync(path).mode & 0o444) === 0o444;
}

function putInPlace(half: string, directory: string): void {
  try {
    renameSync(half, directory);
  } catch (error) {
    // Somebody else was faster, with the same.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
