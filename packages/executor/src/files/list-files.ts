import type { FileHost } from './file-host.ts';

/** What `list_files` answers: directories with a `/` first, each group in order whatever the case; [] without one. */
export async function listFiles(host: FileHost, path: string): Promise<string[]> {
  const entries = await host.list(path).catch(() => []);
  const directories = entries.filter((entry) => entry.kind === 'directory').map((entry) => `${entry.name}/`);
  const files = entries
    .filter((entry) => entry.kind === 'file' || entry.kind === 'other')
    .map((entry) => entry.name);
  return [...directories.sort(ignoringCase), ...files.sort(ignoringCase)];
}

function ignoringCase(left: string, right: string): number {
  return compare(left.toLowerCase(), right.toLowerCase()) || compare(left, right);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
