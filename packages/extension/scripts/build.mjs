// Puts the extension into files under dist/, or in another directory: what VS Code loads at its start, all the rest, and
// what runs programs in terminals.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');

export const distDirectory = join(packageDirectory, 'dist');

/** Answers the files that it was made of, below the package. */
export async function buildExtension(directory = distDirectory) {
  const { metafile } = await build({
    entryPoints: ['src/extension', 'src/window', 'bin/run-program'].map((name) => ({
      in: join(packageDirectory, `${name}.ts`),
      out: name.split('/')[1],
    })),
    absWorkingDir: packageDirectory,
    outdir: directory,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    keepNames: true,
    // node-pty has compiled parts that it looks for beside itself.
    external: ['vscode', '@lydell/node-pty'],
    // `import()` becomes `require`: an extension host has no loader for the former in older versions.
    supported: { 'dynamic-import': false },
    // Node 20, in the servers of older versions, does not have it yet.
    define: { 'Promise.withResolvers': 'promiseWithResolvers' },
    inject: [join(packageDirectory, 'scripts', 'with-resolvers.mjs')],
    plugins: [
      { name: 'window-on-first-use', setup: keepWindowApart },
      { name: 'one-language', setup: leaveOutLocales },
    ],
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

function keepWindowApart({ onResolve }) {
  onResolve({ filter: /^\.\/window\.ts$/ }, () => ({ path: './window.cjs', external: true }));
}

/** A quarter of a megabyte: zod's messages in languages that nobody chose. English is loaded by itself. */
function leaveOutLocales({ onLoad }) {
  onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {};' }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExtension();
