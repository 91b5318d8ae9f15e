// Puts the server into a few files under dist/, which start in half the time. The command uses them as long as no
// source has changed since; without them it runs the sources.
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = join(packageDirectory, '..', '..');
const output = join(packageDirectory, 'dist');

const { metafile, outputFiles } = await build({
  entryPoints: [join(packageDirectory, 'src', 'main.ts')],
  absWorkingDir: root,
  outdir: output,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minify: true,
  keepNames: true,
  // Has compiled parts that it looks for beside itself.
  external: ['@lydell/node-pty'],
  // The packages that are not modules yet ask for Node's own with `require`.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  metafile: true,
  write: false,
  logLevel: 'warning',
});
const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
const sources = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules'));
const makers = ['package-lock.json', relative(root, fileURLToPath(import.meta.url))];
const stamps = [...sources, ...makers].map((path) => {
  const { mtimeMs, size } = statSync(join(root, path));
  return [relative(packageDirectory, join(root, path)), mtimeMs, size];
});
const parts = [
  ...outputFiles.map(({ path, contents }) => [basename(path), contents]),
  // Where the bundle runs alone, without the command that looks for sources.
  [
    'entry.mjs',
    "import { main } from './main.mjs';\n" +
      `process.exit(await main(process.argv.slice(2), process.env, ${JSON.stringify(version)}));\n`,
  ],
];
const names = parts.map(([name]) => name);

mkdirSync(output, { recursive: true });
for (const [name, contents] of parts) write(name, contents);
write('outputs.json', JSON.stringify(names));
// Last, because it says that all the rest is there.
write('sources.json', JSON.stringify(stamps));
removeOldParts();

/** Whole or not at all: servers start from here while this runs. */
function write(name, contents) {
  const temporary = join(output, `.${name}.${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, join(output, name));
}

/** A server that is running loads its parts when it first needs them: yesterday's must not go too soon. */
function removeOldParts() {
  const dayMs = 24 * 60 * 60 * 1000;
  for (const name of readdirSync(output)) {
    const path = join(output, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    const isOld = stats?.isFile() && Date.now() - stats.mtimeMs > dayMs;
    if (isOld && !name.endsWith('.json') && !names.includes(name)) rmSync(path, { force: true });
  }
}
