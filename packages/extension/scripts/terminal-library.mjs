// The terminal library has compiled parts, one npm package for each kind of machine. The installed one is taken from
// node_modules; for another machine it is fetched, and must be what the lock file says.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDirectory } from './build.mjs';

const root = join(packageDirectory, '..', '..');
const library = '@lydell/node-pty';

export const terminalTargets = [
  'linux-x64',
  'linux-arm64',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64',
  'win32-arm64',
];

export function terminalFiles(target) {
  return [...filesOf(library), ...filesOf(`${library}-${target}`)];
}

function filesOf(name) {
  const installed = join(root, 'node_modules', name);
  if (existsSync(installed)) return readPackage(name, installed);
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-package-'));
  try {
    return readPackage(name, fetchPackage(name, directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readPackage(name, directory) {
  return readdirSync(directory, { recursive: true })
    .map((path) => String(path))
    .filter((path) => isNeeded(path) && statSync(join(directory, path)).isFile())
    .sort()
    .map((path) => ({
      name: `node_modules/${name}/${path.replaceAll('\\', '/')}`,
      contents: readFileSync(join(directory, path)),
      // One that is started as a program of its own is part of it on macOS.
      isProgram: path.endsWith('spawn-helper'),
    }));
}

function isNeeded(path) {
  return !/\.(md|d\.ts|map|pdb)$/.test(path);
}

function fetchPackage(name, directory) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`];
  execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', directory], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const archive = join(directory, readdirSync(directory)[0]);
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not what package-lock.json says: ${found}`);
  execFileSync('tar', ['-xzf', archive, '-C', directory]);
  return join(directory, 'package');
}
