import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CliError } from '../cli-error.ts';

/** What compiles VS Code's native parts: the Debian package, and a command that only works with it. */
const needs = [
  { debianPackage: 'npm', probe: ['npm', '--version'] },
  { debianPackage: 'g++', probe: ['g++', '--version'] },
  { debianPackage: 'make', probe: ['make', '--version'] },
  { debianPackage: 'python3', probe: ['python3', '--version'] },
  { debianPackage: 'pkg-config', probe: ['pkg-config', '--version'] },
  { debianPackage: 'libkrb5-dev', probe: ['pkg-config', '--exists', 'krb5-gssapi'] },
];

/** Refuses before minutes have passed, and says what to install. */
export async function checkBuildNeeds(): Promise<void> {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new CliError(
      `The editor can be installed on Linux on x64 or arm64, and this is ${process.platform} on ${process.arch}. ` +
        'Install code-server yourself: one on PATH is used.',
      'editor-install-failed',
    );
  }
  const works = await Promise.all(needs.map(({ probe }) => doesWork(probe)));
  const missing = needs.filter((_need, index) => !works[index]).map(({ debianPackage }) => debianPackage);
  if (missing.length === 0) return;
  throw new CliError(
    `The editor cannot be compiled without ${missing.join(', ')}. ` +
      `Install what is missing, and run it again: sudo apt-get install ${missing.join(' ')}`,
    'editor-install-failed',
  );
}

async function doesWork([file = '', ...args]: string[]): Promise<boolean> {
  return promisify(execFile)(file, args).then(
    () => true,
    () => false,
  );
}
