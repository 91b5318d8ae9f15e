// Puts the server into a few files under dist/, which start in half the time. The command uses them as long as no
// source has changed since; without them it runs the sources.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = join(packageDirectory, '..', '..');
const output = join(packageDirectory, 'dist');

mkdirSync(output, { recursive: true });
const { metafile } = await build({
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
  logLevel: 'warning',
});
const sources = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules'));
const stamps = [...sources, 'package-lock.json'].map((path) => {
  const { mtimeMs, size } = statSync(join(root, path));
  return [relative(packageDirectory, join(root, path)), mtimeMs, size];
});
writeFileSync(join(output, 'sources.json'), JSON.stringify(stamps));
removeOldParts(Object.keys(metafile.outputs).map((path) => basename(path)));

/** A server that is running loads its parts when it first needs them: yesterday's must not go too soon. */
function removeOldParts(current) {
  const dayMs = 24 * 60 * 60 * 1000;
  for (const name of readdirSync(output)) {
    const path = join(output, name);
    const isOld = Date.now() - statSync(path).mtimeMs > dayMs;
    if (isOld && name !== 'sources.json' && !current.includes(name)) rmSync(path);
  }
}
