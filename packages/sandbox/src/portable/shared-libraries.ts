import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';

/** One file by the name under which programs ask for it. */
export interface Library {
  name: string;
  source: string;
}

export interface Libraries {
  /** With the place at which programs are bound to look for it. */
  loader: Library & { path: string };
  libraries: Library[];
}

const loaderByArchitecture: Partial<Record<NodeJS.Architecture, string>> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
};

/** What the given programs and libraries need of this machine to run, as its own dynamic loader finds it. */
export async function findLibraries(files: string[]): Promise<Libraries> {
  const loader = loaderByArchitecture[process.arch];
  if (loader === undefined) throw new Error(`there is none for ${process.platform} on ${process.arch}`);
  const lists = await Promise.all(files.map((file) => listLibraries(loader, file)));
  const byName = new Map(lists.flat().map(({ name, source }) => [name, source]));
  return {
    loader: { name: basename(loader), source: realpathSync(loader), path: loader },
    libraries: [...byName].map(([name, path]) => ({ name, source: realpathSync(path) })),
  };
}

/** `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f…)`, a line for each. */
async function listLibraries(loader: string, file: string): Promise<Library[]> {
  const { stdout } = await promisify(execFile)(loader, ['--list', file]);
  const missing = /^\s*(\S+) => not found/m.exec(stdout)?.[1];
  if (missing !== undefined) throw new Error(`${file} needs ${missing}, which is not installed`);
  return [...stdout.matchAll(/^\s*(\S+) => (\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, name, source]) => {
    return { name: name!, source: source! };
  });
}
