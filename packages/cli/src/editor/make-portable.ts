import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findLibraries, type Libraries } from '@fairlead/sandbox/shared-libraries';

/**
 * Gives the editor its own Node with its libraries and their loader, and two scripts that start it with them wherever
 * the directory is mounted.
 */
export async function makePortable(directory: string, nodePackage: string): Promise<void> {
  const bin = join(directory, 'bin');
  const lib = join(directory, 'lib');
  await mkdir(bin);
  await mkdir(lib);
  await rename(join(nodePackage, 'bin', 'node'), join(lib, 'node'));
  await rm(nodePackage, { recursive: true });
  const { loader, libraries } = await librariesOf(directory, join(lib, 'node'));
  for (const { name, source } of [loader, ...libraries]) await copyFile(source, join(lib, name));
  await writeFile(join(lib, 'exec-path.cjs'), execPathModule);
  await writeFile(join(bin, 'node'), nodeScript(loader.name), { mode: 0o755 });
  await writeFile(join(bin, 'code-server'), codeServerScript, { mode: 0o755 });
}

/**
 * The loader is what the kernel has started. Children are to be started by the script that names it, which adds what it
 * adds by itself.
 */
const execPathModule = `const { join } = require('node:path');
process.execPath = join(__dirname, '..', 'bin', 'node');
process.execArgv.splice(0, 2);
`;

function nodeScript(loader: string): string {
  return `#!/bin/sh
lib=\${0%/*}/../lib
exec "$lib/${loader}" --library-path "$lib" "$lib/node" --require "$lib/exec-path.cjs" "$@"
`;
}

const codeServerScript = `#!/bin/sh
exec "\${0%/*}/node" "\${0%/*}/../node_modules/code-server/out/node/entry.js" "$@"
`;

/** A native part that needs more than this machine has would not run here either, and VS Code does without it. */
async function librariesOf(directory: string, node: string): Promise<Libraries> {
  const found = await findLibraries([node]);
  const byName = new Map(found.libraries.map((library) => [library.name, library]));
  for (const addon of await addonsIn(join(directory, 'node_modules'))) {
    const { libraries } = await findLibraries([addon]).catch(() => ({ libraries: [] }));
    for (const library of libraries) byName.set(library.name, library);
  }
  return { loader: found.loader, libraries: [...byName.values()] };
}

async function addonsIn(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.endsWith('.node')).map((name) => join(directory, name));
}
