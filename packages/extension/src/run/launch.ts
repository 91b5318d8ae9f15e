import { execFile } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, isProgram } from './programs.ts';

export type Language = 'python' | 'javascript' | 'typescript' | 'shell';

export type Launch =
  { kind: 'launch'; program: string; args: string[] } | { kind: 'missing'; problem: string };

export interface LaunchFacts {
  /** The Python that the user chose in VS Code. */
  chosenPython: string | undefined;
  path: string;
}

/** By the ending of its name: the editor need not have it open. */
export function languageOf(file: string): Language | undefined {
  return languages[extname(file).toLowerCase()];
}

/** With which program a file runs, or what is missing for it. */
export async function launchOf(file: string, language: Language, facts: LaunchFacts): Promise<Launch> {
  switch (language) {
    case 'python':
      return launchPython(file, facts);
    case 'javascript':
      return launchNode(file, facts);
    case 'typescript':
      return launchTypeScript(file, facts);
    case 'shell':
      return launchShell(file, facts);
  }
}

const languages: Record<string, Language> = {
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.sh': 'shell',
  '.bash': 'shell',
  '.zsh': 'shell',
};

function launchPython(file: string, { chosenPython, path }: LaunchFacts): Launch {
  const program = chosenPython ?? findProgram(['python3', 'python'], path);
  return program === undefined
    ? missing('There is neither python3 nor python in the PATH. Install Python, or choose an interpreter.')
    : { kind: 'launch', program, args: [file] };
}

function launchNode(file: string, { path }: LaunchFacts): Launch {
  const program = findProgram(['node'], path);
  return program === undefined
    ? missing('There is no node in the PATH. Install Node.js.')
    : { kind: 'launch', program, args: [file] };
}

/** Node takes TypeScript by itself from 22.18 on, and with an option from 22.6 on; else tsx does. */
async function launchTypeScript(file: string, facts: LaunchFacts): Promise<Launch> {
  const node = findProgram(['node'], facts.path);
  const version = node === undefined ? [0, 0] : await nodeVersion(node);
  const [major = 0, minor = 0] = version;
  if (major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18))
    return launchNode(file, facts);
  const tsx = nearestTsx(dirname(file)) ?? findProgram(['tsx'], facts.path);
  if (tsx !== undefined) return { kind: 'launch', program: tsx, args: [file] };
  if (node !== undefined && (major === 23 || (major === 22 && minor >= 6)))
    return { kind: 'launch', program: node, args: ['--experimental-strip-types', file] };
  const found = node === undefined ? 'There is no node in the PATH' : `Node ${version.join('.')} is too old`;
  return missing(`${found} to run TypeScript. Install Node.js 22.18 or later, or the package tsx.`);
}

function nearestTsx(directory: string): string | undefined {
  const tsx = join(directory, 'node_modules', '.bin', process.platform === 'win32' ? 'tsx.cmd' : 'tsx');
  if (isProgram(tsx)) return tsx;
  const above = dirname(directory);
  return above === directory ? undefined : nearestTsx(above);
}

/** The shell that the first line names, else bash, else sh. */
function launchShell(file: string, { path }: LaunchFacts): Launch {
  const named = /^#!\s*(?:\S*\/env\s+)?(\S+)/.exec(firstLine(file))?.[1];
  const shell = named === undefined ? undefined : basename(named);
  const names = shell !== undefined && shells.has(shell) ? [shell, 'bash', 'sh'] : ['bash', 'sh'];
  const program = findProgram(names, path);
  return program === undefined
    ? missing(`There is none of ${names.join(', ')} in the PATH.`)
    : { kind: 'launch', program, args: [file] };
}

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish']);

function firstLine(file: string): string {
  const start = Buffer.alloc(200);
  try {
    const descriptor = openSync(file, 'r');
    const length = readSync(descriptor, start);
    closeSync(descriptor);
    return start.toString('utf8', 0, length).split('\n')[0]!;
  } catch {
    return '';
  }
}

async function nodeVersion(node: string): Promise<number[]> {
  try {
    const { stdout } = await promisify(execFile)(node, ['--version'], { timeout: 10_000 });
    return (/^v(\d+)\.(\d+)\.(\d+)/.exec(stdout)?.slice(1) ?? []).map(Number);
  } catch {
    return [0, 0];
  }
}

function missing(problem: string): Launch {
  return { kind: 'missing', problem };
}
