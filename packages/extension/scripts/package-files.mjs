import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirectory } from './build.mjs';

/** What the extension consists of on every machine: names in the package, and contents. */
export function packageFiles(builtDirectory) {
  const media = readdirSync(join(packageDirectory, 'media'));
  return [
    { name: 'package.json', contents: manifestForUsers() },
    { name: 'README.md', contents: read('README.md') },
    { name: 'LICENSE.txt', contents: read('../../LICENSE') },
    ...['extension.cjs', 'window.cjs', 'run-program.cjs'].map((name) => {
      return { name: `dist/${name}`, contents: readFileSync(join(builtDirectory, name)) };
    }),
    ...media.map((name) => ({ name: `media/${name}`, contents: read(`media/${name}`) })),
    ...pythonModules(),
  ];
}

function read(name) {
  return readFileSync(join(packageDirectory, name));
}

/** Programs that are run with the bridge find its Python modules here. */
function pythonModules() {
  const directory = join(packageDirectory, '../../python/src');
  return readdirSync(directory, { recursive: true })
    .filter((name) => /\.(py|typed)$/.test(name))
    .map((name) => ({ name: `python/${name}`, contents: readFileSync(join(directory, name)) }));
}

/** The bundle holds what it depends on. */
function manifestForUsers() {
  const manifest = JSON.parse(read('package.json'));
  const { dependencies, devDependencies, exports, private: isPrivate, ...kept } = manifest;
  return Buffer.from(`${JSON.stringify(kept, null, 2)}\n`);
}
