import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isBundleFresh } from '../bin/bundle-freshness.mjs';
import { nodeFlags } from '../bin/node-flags.mjs';
import { assemble, type Parts } from './portable/assemble.ts';
import { precompile } from './portable/precompile.ts';
import { findLibraries, type Library } from './portable/shared-libraries.ts';

export interface SandboxBundle {
  /** Read-only. */
  mounts: { source: string; target: string }[];
  /** The server without its arguments. */
  command: string[];
}

const target = '/opt/fairlead';
const packageDirectory = fileURLToPath(new URL('..', import.meta.url));
const dist = join(packageDirectory, 'dist');

/**
 * The server in a form that runs in any Linux of this architecture, with another C library or none: it brings this
 * Node with its libraries and their loader, which a plain start would look for at fixed places.
 */
export async function prepareSandboxBundle(): Promise<SandboxBundle> {
  try {
    return await prepare();
  } catch (error) {
    throw new Error(`The sandbox bundle cannot be prepared: ${(error as Error).message.trim()}`, {
      cause: error,
    });
  }
}

async function prepare(): Promise<SandboxBundle> {
  if (!isBundleFresh(packageDirectory)) {
    await promisify(execFile)(process.execPath, [join(packageDirectory, 'scripts', 'bundle.mjs')]);
  }
  const node = realpathSync(process.execPath);
  const terminal = findTerminalPackages();
  const { loader, libraries } = await findLibraries([node, terminal.addon]);
  const parts: Parts = {
    node,
    libraries: [loader, ...libraries],
    server: ['main.cjs', 'entry.cjs'].map((name) => ({ name, source: join(dist, name) })),
    packages: terminal.packages,
  };
  const commandIn = (directory: string) => [
    `${directory}/lib/${loader.name}`,
    '--library-path',
    `${directory}/lib`,
    `${directory}/bin/node`,
    ...nodeFlags,
    `${directory}/server/entry.cjs`,
  ];
  const source = join(dist, 'portable', fingerprint(parts));
  await assemble(source, parts, (directory) =>
    precompile(commandIn(directory), join(directory, 'server', 'main.compiled')),
  );
  return { mounts: [{ source, target }], command: commandIn(target) };
}

/** What the executor loads at run time because it has a compiled part. */
function findTerminalPackages(): { packages: Library[]; addon: string } {
  const name = '@lydell/node-pty';
  const addonName = `${name}-linux-${process.arch}`;
  const source = dirname(createRequire(import.meta.resolve('@fairlead/executor')).resolve(name));
  const addon = createRequire(join(source, 'index.js')).resolve(`${addonName}/pty.node`);
  return {
    packages: [
      { name, source },
      { name: addonName, source: dirname(addon) },
    ],
    addon,
  };
}

/** Changes with everything that goes in. */
function fingerprint({ node, libraries, server, packages }: Parts): string {
  const large = [node, ...[...libraries, ...packages].map(({ source }) => source)];
  const stamps = large.map((path) => [path, statSync(path).mtimeMs, statSync(path).size]);
  const hash = createHash('sha256').update(JSON.stringify(stamps));
  for (const { source } of server) hash.update(readFileSync(source));
  return hash.digest('hex').slice(0, 16);
}
