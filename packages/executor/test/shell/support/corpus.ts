import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Case, Expectation, PlainCase, Step } from '../corpus/case.ts';
import { completed } from '../corpus/contract-texts.ts';
import { directoryCases } from '../corpus/directories.ts';
import { forgeryCases } from '../corpus/forgery.ts';
import { hookCases } from '../corpus/hooks.ts';
import { inputCases } from '../corpus/input.ts';
import { jobCases } from '../corpus/jobs.ts';
import { keyCases } from '../corpus/keys.ts';
import { outputCases } from '../corpus/output.ts';
import { plainCases } from '../corpus/plain.ts';
import { shellEndCases } from '../corpus/shell-ends.ts';
import { stateCases } from '../corpus/state.ts';
import { terminalCases } from '../corpus/terminal.ts';
import { timeoutCases } from '../corpus/timeouts.ts';
import { shellEnv } from './paths.ts';
import type { Answer, RunOptions } from './test-shell.ts';

/** How long a step with `until` may take to show what it waits for. */
const patienceMs = 10_000;

/** Shells that promise the contract, wherever they are. */
export interface ShellsUnderTest {
  /** Where they start, by a path that is the same for them and for the test. */
  readonly workspace: string;
  readonly home: string;
  run(command: string, options: RunOptions): Promise<Answer>;
  end(shell: string): Promise<unknown>;
  /** Where a shell keeps its own files. */
  filesOf(shell: string): string;
}

const themes: Record<string, Case[]> = {
  state: stateCases,
  input: inputCases,
  keys: keyCases,
  'shells that end': shellEndCases,
  'prompts, traps and options': hookCases,
  'look-alikes and garbage': forgeryCases,
  'the terminal': terminalCases,
  'much output': outputCases,
  'background jobs': jobCases,
  directories: directoryCases,
};

/** The contract of shells, case by case. `impatient`: those that wait one second for new output. */
export function describeCorpus(shells: () => ShellsUnderTest, impatient: () => ShellsUnderTest): void {
  for (const [theme, cases] of Object.entries(themes))
    describe(theme, () => {
      for (const one of cases)
        test.concurrent(one.name, { tags: one.tags ?? [] }, () => runCase(shells(), one));
    });

  describe('time-outs', () => {
    for (const one of timeoutCases) test.concurrent(one.name, () => runCase(impatient(), one));
  });

  describe('plain commands, compared with bash -c', () => {
    for (const one of plainCases) test.concurrent(one.name, () => runPlainCase(shells(), one));
  });
}

async function runCase(shells: ShellsUnderTest, { name, steps }: Case): Promise<void> {
  const shell = shellNameOf(name);
  const cwd = caseDirectory(shells, shell);
  await enter(shells, shell, cwd);
  for (const step of steps) await runStep(shells, shell, cwd, step);
  await checkUsable(shells, shell);
  await shells.end(shell);
}

async function runPlainCase(shells: ShellsUnderTest, { name, command }: PlainCase): Promise<void> {
  const shell = shellNameOf(name);
  const cwd = caseDirectory(shells, shell);
  await enter(shells, shell, cwd);
  const ours = await shells.run(command, { shell });
  await checkUsable(shells, shell);
  await shells.end(shell);
  // One pipe for both streams, so that their order is kept.
  const script = `exec 2>&1; eval "$1"`;
  const oracle = spawnSync('bash', ['-c', script, 'bash', command], {
    cwd: caseDirectory(shells, `${shell}-oracle`),
    env: shellEnv(shells.home),
    encoding: 'utf8',
  });
  expect({ content: ours.content, exitCode: metadataOf(ours)?.exit_code }).toEqual({
    content: oracle.stdout.replace(/\n$/, ''),
    exitCode: oracle.status,
  });
}

async function runStep(shells: ShellsUnderTest, shell: string, cwd: string, step: Step): Promise<void> {
  const { timeout = 15, blocking = false, hidden = false } = step;
  const options = {
    shell,
    timeout,
    blocking,
    hidden,
    isInput: step.input !== undefined,
    isStatic: step.static ?? false,
  };
  const command = (step.input ?? step.run ?? '').replaceAll('@SHELL@', shells.filesOf(shell));
  const answer = await shells.run(command, step.static ? { ...options, cwd: step.cwd ?? cwd } : options);
  if (step.until !== undefined) return readUntil(shells, shell, answer, step.until);
  check(answer, command, step.expect ?? {});
}

async function readUntil(
  shells: ShellsUnderTest,
  shell: string,
  first: Answer,
  until: RegExp,
): Promise<void> {
  let { content } = first;
  let answer = first;
  const deadline = performance.now() + patienceMs;
  while (!until.test(content) && metadataOf(answer)?.exit_code === -1 && performance.now() < deadline) {
    answer = await shells.run('', { shell, timeout: 0.2 });
    content = /\n/.test(answer.content) ? `${content}\n${answer.content}` : content + answer.content;
  }
  expect(content).toMatch(until);
  expect(metadataOf(answer)?.exit_code).toBe(-1);
}

function check(answer: Answer, command: string, expected: Expectation): void {
  if (expected.error !== undefined) {
    expect(answer.observation).toBe('error');
    compare(answer.content, expected.error);
    return;
  }
  const metadata = metadataOf(answer);
  if (metadata === undefined) throw new Error(`an error observation for ${command}: ${answer.content}`);
  const { exitCode = 0, prefix = '', suffix = completed(exitCode) } = expected;
  if (expected.content !== undefined) compare(answer.content, expected.content);
  expect(metadata.exit_code, answer.content.slice(0, 500)).toBe(exitCode);
  compare(metadata.prefix, prefix);
  compare(metadata.suffix, suffix);
  if (expected.cwd !== undefined) compare(metadata.working_dir ?? '', expected.cwd);
}

function compare(actual: string, expected: string | RegExp): void {
  if (typeof expected === 'string') expect(actual).toBe(expected);
  else expect(actual).toMatch(expected);
}

async function checkUsable(shells: ShellsUnderTest, shell: string): Promise<void> {
  const word = `ok-${Math.random().toString(36).slice(2)}`;
  const answer = await shells.run(`builtin echo ${word}`, { shell });
  expect(answer.content).toMatch(new RegExp(`${word}$`));
  expect(metadataOf(answer)?.exit_code).toBe(0);
}

function metadataOf(answer: Answer) {
  return answer.observation === 'run' ? answer.extras.metadata : undefined;
}

function shellNameOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
}

function caseDirectory(shells: ShellsUnderTest, shell: string): string {
  const path = join(shells.workspace, shell);
  mkdirSync(path, { recursive: true });
  return path;
}

async function enter(shells: ShellsUnderTest, shell: string, directory: string): Promise<void> {
  const answer = await shells.run(`cd ${directory}`, { shell });
  expect(metadataOf(answer)?.exit_code, answer.content).toBe(0);
}
