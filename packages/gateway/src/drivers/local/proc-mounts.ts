import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Covers what /proc has of the whole machine rather than of a process, as arguments of bwrap. Who may read and write
 * there is decided by the user id, without any capability: a sandbox of root could change every setting of the kernel.
 */
export function procMounts(): string[] {
  // What is left to others are settings of their own namespaces.
  if (process.getuid?.() !== 0) return cover('/proc/sys');
  return readdirSync('/proc')
    .filter((name) => !/^\d+$/.test(name))
    .flatMap((name) => cover(join('/proc', name)));
}

/** Directories in which nothing can be written but what everybody may write. */
const harmless = new Set(['/proc/pressure', '/proc/sysvipc', '/proc/tty']);
/** Of the gateway's keyrings. */
const keyLists = new Set(['/proc/keys', '/proc/key-users']);

function cover(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink() || harmless.has(path)) return [];
  if (stats.isDirectory()) return ['--ro-bind', path, path];
  const isForRoot = (stats.mode & 0o004) === 0;
  if (isForRoot || keyLists.has(path)) return ['--ro-bind', '/dev/null', path];
  const isWritable = (stats.mode & 0o222) !== 0;
  return isWritable ? ['--ro-bind', path, path] : [];
}
