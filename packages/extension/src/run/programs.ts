import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program of these names that this machine's PATH has. */
export function findProgram(
  names: readonly string[],
  path: string,
  platform = process.platform,
): string | undefined {
  const endings = platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const candidates = names.flatMap((name) =>
    path
      .split(delimiter)
      .filter((directory) => directory !== '')
      .flatMap((directory) => endings.map((ending) => join(directory, name + ending))),
  );
  return candidates.find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
