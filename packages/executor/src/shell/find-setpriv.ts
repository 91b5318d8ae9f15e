import { realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/** Where the setpriv of util-linux is; that of busybox, under the same name, can do less. */
export function findSetpriv(env: Record<string, string>): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => resolved(join(directory, 'setpriv')))
    .find((path) => path !== undefined && basename(path) === 'setpriv');
}

function resolved(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
