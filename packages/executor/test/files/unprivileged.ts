import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';

export const isRoot = process.getuid?.() === 0;

const nobody = 65_534;

/** Gives a directory to the user that `unprivileged` runs as. */
export function giveAway(path: string): void {
  if (isRoot) chownSync(path, nobody, nobody);
}

/** Runs code with `host` (a NodeFileHost) and `path` in a process that is not root; answers with what it returns. */
export function unprivileged(path: string, code: string): unknown {
  const files = new URL('../../src/files/index.ts', import.meta.url);
  const program = `
    import { NodeFileHost, zipPath } from ${JSON.stringify(files)};
    const host = new NodeFileHost();
    const path = ${JSON.stringify(path)};
    const told = (error) => [error.name, error.code, error.message];
    console.log(JSON.stringify(await (async () => { ${code} })()));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    cwd: '/',
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
