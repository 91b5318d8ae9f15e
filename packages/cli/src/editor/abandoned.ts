import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** How the name of a folder begins that is not an editor yet, or none any more, while this process works on it. */
export function abandonedPrefix(): string {
  return `.unfinished-${process.pid}-`;
}

/** Removes what was left by a command that was killed. */
export async function removeAbandoned(directory: string): Promise<void> {
  const names = existsSync(directory) ? await readdir(directory) : [];
  for (const name of names) {
    const [, pid] = /^\.unfinished-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    await rm(join(directory, name), { recursive: true, force: true });
  }
}
