import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { languageOf, launchOf } from '../../src/run/launch.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fairlead-launch-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
});

/** A program that prints this. */
function program(name: string, prints = ''): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${prints}'\n`);
  chmodSync(path, 0o755);
  return path;
}

const facts = (chosenPython?: string) => ({ chosenPython, path: join(directory, 'bin') });

test('the ending of a file tells its language', () => {
  expect(['a.py', 'a.MJS', 'a.cts', 'a.sh', 'a.txt', 'py'].map(languageOf)).toEqual([
    'python',
    'javascript',
    'typescript',
    'shell',
    undefined,
    undefined,
  ]);
});

test('Python: what the user chose, else python3, else python; else it says what is missing', async () => {
  expect(await launchOf('/a b.py', 'python', facts())).toMatchObject({
    kind: 'missing',
    problem: expect.stringContaining('Install Python'),
  });
  const python = program('bin/python');
  expect(await launchOf('/a b.py', 'python', facts())).toEqual({
    kind: 'launch',
    program: python,
    args: ['/a b.py'],
  });
  const python3 = program('bin/python3');
  expect(await launchOf('/a.py', 'python', facts())).toMatchObject({ program: python3 });
  expect(await launchOf('/a.py', 'python', facts('/chosen'))).toMatchObject({ program: '/chosen' });
});

test.each([
  ['v24.1.0', []],
  ['v22.18.0', []],
  ['v23.6.0', []],
  ['v22.7.0', ['--experimental-strip-types']],
  ['v23.0.0', ['--experimental-strip-types']],
])('TypeScript with node %s is given %j', async (version, options) => {
  const node = program('bin/node', version);
  expect(await launchOf('/a.ts', 'typescript', facts())).toEqual({
    kind: 'launch',
    program: node,
    args: [...options, '/a.ts'],
  });
});

test('TypeScript with an old node: the nearest tsx, else one in the PATH, else what is missing', async () => {
  program('bin/node', 'v20.1.0');
  const file = join(directory, 'project/deep/a.ts');
  expect(await launchOf(file, 'typescript', facts())).toMatchObject({
    kind: 'missing',
    problem: expect.stringContaining('Node 20.1.0 is too old'),
  });
  const everywhere = program('bin/tsx');
  expect(await launchOf(file, 'typescript', facts())).toMatchObject({ program: everywhere });
  const near = program('project/node_modules/.bin/tsx');
  expect(await launchOf(file, 'typescript', facts())).toMatchObject({ program: near });
});

test('shell: what the first line names, if it is a shell, else bash, else sh', async () => {
  const file = join(directory, 'a.sh');
  const [sh, bash, zsh] = ['sh', 'bash', 'zsh'].map((name) => program(`bin/${name}`));
  const launched = async (text: string) => {
    writeFileSync(file, text);
    return launchOf(file, 'shell', facts());
  };
  expect(await launched('echo\n')).toMatchObject({ program: bash });
  expect(await launched('#!/bin/sh -e\n')).toMatchObject({ program: sh });
  expect(await launched('#!/usr/bin/env zsh\n')).toMatchObject({ program: zsh });
  expect(await launched('#!/usr/bin/perl\n')).toMatchObject({ program: bash });
});
