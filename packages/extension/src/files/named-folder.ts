import { resolve } from 'node:path';

/**
 * In a workspace of several folders a relative path may start with the name of one of them. Undefined where it does not,
 * and where the directory itself has something of that name.
 */
export async function namedFolder(
  path: string,
  cwd: string,
  folders: { name: string; path: string }[],
  exists: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (folders.length < 2) return undefined;
  const [first = '', ...rest] = path.split('/').filter((part) => part !== '' && part !== '.');
  const folder = folders.find(({ name }) => name === first);
  if (folder === undefined || (await exists(resolve(cwd, first)))) return undefined;
  return resolve(folder.path, ...rest);
}
