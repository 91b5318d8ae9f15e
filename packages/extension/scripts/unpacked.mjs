import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');
const unpacked = join(packageDirectory, 'dist', 'unpacked');
const stampsFile = join(packageDirectory, 'dist', 'unpacked.json');
const unusedForMs = 30 * 24 * 60 * 60 * 1000;

/**
 * The extension for this machine as a folder, as VS Code has it once it is installed. Made when a source has changed;
 * costs milliseconds when none has.
 */
export async function prepareUnpackedExtension() {
  const directory = freshDirectory() ?? (await unpack());
  try {
    utimesSync(directory, new Date(), new Date());
  } catch {
    // Somebody else's, who looks after it.
  }
  return directory;
}

function freshDirectory() {
  if (!existsSync(stampsFile)) return undefined;
  const { name, stamps } = JSON.parse(readFileSync(stampsFile, 'utf8'));
  const isFresh = stamps.every(([path, mtimeMs, size]) => {
    const stats = statSync(join(packageDirectory, path), { throwIfNoEntry: false });
    return stats?.mtimeMs === mtimeMs && stats.size === size;
  });
  const directory = join(unpacked, name);
  return isFresh && existsSync(directory) ? directory : undefined;
}

async function unpack() {
  const half = join(unpacked, `.${randomUUID()}`);
  try {
    const { files, sources } = await build(join(half, 'build'));
    const stamps = sources.map(stampOf);
    const name = fingerprint(files);
    for (const file of files) write(join(half, name, file.name), file.contents);
    putInPlace(join(half, name), join(unpacked, name));
    write(join(half, 'stamps'), JSON.stringify({ name, stamps }));
    renameSync(join(half, 'stamps'), stampsFile);
    return join(unpacked, name);
  } finally {
    rmSync(half, { recursive: true, force: true });
    removeUnused();
  }
}

async function build(directory) {
  const [{ buildExtension }, { packageFiles }, { terminalFiles, terminalTargets }] = await Promise.all([
    import('./build.mjs'),
    import('./package-files.mjs'),
    import('./terminal-library.mjs'),
  ]);
  const sources = await buildExtension(directory);
  const target = `${process.platform}-${process.arch}`;
  const terminal = terminalTargets.includes(target) ? terminalFiles(target) : [];
  const others = ['scripts', 'media', '../../python/src'].flatMap(everythingIn);
  return {
    files: [...packageFiles(directory), ...terminal],
    sources: [...sources, ...others, 'package.json', 'README.md', '../../package-lock.json'],
  };
}

/** Directories too: they change with each file that comes or goes. */
function everythingIn(directory) {
  const names = readdirSync(join(packageDirectory, directory), { recursive: true });
  return [
    directory,
    ...names.filter((name) => !name.includes('__pycache__')).map((name) => join(directory, name)),
  ];
}

function stampOf(path) {
  const { mtimeMs, size } = statSync(join(packageDirectory, path));
  return [path, mtimeMs, size];
}

function fingerprint(files) {
  const hash = createHash('sha256');
  for (const { name, contents } of files) hash.update(`${name}\0${contents.length}\0`).update(contents);
  return hash.digest('hex').slice(0, 16);
}

/** It is read by whoever runs an editor in a sandbox. */
function write(path, contents) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, contents, { mode: 0o644 });
}

function putInPlace(half, directory) {
  try {
    renameSync(half, directory);
  } catch (error) {
    // Somebody else was faster, with the same.
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
}

/** Sandboxes live long, and go on using the folder that they were started with. */
function removeUnused() {
  for (const name of readdirSync(unpacked)) {
    const path = join(unpacked, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > unusedForMs) rmSync(path, { recursive: true });
  }
}
