import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes what compilers left, and what is for other systems: a quarter of it all. */
export async function prune(directory: string): Promise<void> {
  await sweep(join(directory, 'node_modules'));
}

async function sweep(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (isWaste(directory, entry.name)) await rm(path, { recursive: true, force: true });
    else if (entry.isDirectory()) await sweep(path);
    else if (entry.name === 'watcher.node' && directory.endsWith('-musl')) await takeGlibc(path, directory);
    else if (entry.name.endsWith('.musl.node'))
      await copyFile(path.replace(/musl\.node$/, 'glibc.node'), path);
  }
}

function isWaste(directory: string, name: string): boolean {
  if (directory.endsWith('/build/Release')) return !name.endsWith('.node');
  if (/\/(prebuilds|ripgrep-universal\/bin)$/.test(directory)) {
    return name !== `${process.platform}-${process.arch}`;
  }
  return name.endsWith('.map') || (name === 'deps' && directory.endsWith('/@vscode/sqlite3'));
}

/**
 * The editor brings its own Node and C library. Packages that look at the system instead would take the wrong file where
 * that has another one.
 */
async function takeGlibc(path: string, directory: string): Promise<void> {
  await copyFile(join(directory.replace(/-musl$/, '-glibc'), 'watcher.node'), path);
}
