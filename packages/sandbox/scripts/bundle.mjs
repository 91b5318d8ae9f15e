// Puts the server into one file under dist/, which starts in half the time. The command uses it as long as no source
// has changed since; without it, it runs the sources.
import { copyFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = join(packageDirectory, '..', '..');
const output = join(packageDirectory, 'dist');
const entry = join(packageDirectory, 'bin', 'portable-entry.cjs');
const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));

const { metafile, outputFiles } = await build({
  entryPoints: [join(packageDirectory, 'src', 'main.ts')],
  absWorkingDir: root,
  outdir: output,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  // Not modules: those take Node longer to load, and an `import` of one of Node's own also loads all that is behind
  // its lazy parts.
  format: 'cjs',
  platform: 'node',
  target: 'node22',
  minify: true,
  keepNames: true,
  // Has compiled parts that it looks for beside itself.
  external: ['@lydell/node-pty'],
  footer: { js: `module.exports.version = ${JSON.stringify(version)};` },
  metafile: true,
  write: false,
  logLevel: 'warning',
});
const sources = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules'));
const makers = [
  'package-lock.json',
  ...[fileURLToPath(import.meta.url), entry].map((path) => relative(root, path)),
];
const stamps = [...sources, ...makers].map((path) => {
  const { mtimeMs, size } = statSync(join(root, path));
  return [relative(packageDirectory, join(root, path)), mtimeMs, size];
});

mkdirSync(output, { recursive: true });
place('main.cjs', (path) => writeFileSync(path, outputFiles[0].contents));
place('entry.cjs', (path) => copyFileSync(entry, path));
// Last, because it says that all the rest is there.
place('sources.json', (path) => writeFileSync(path, JSON.stringify(stamps)));

/** Whole or not at all: servers start from here while this runs. */
function place(name, write) {
  const temporary = join(output, `.${name}.${process.pid}`);
  write(temporary);
  renameSync(temporary, join(output, name));
}
