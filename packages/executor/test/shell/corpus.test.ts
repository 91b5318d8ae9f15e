import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Case, Expectation, PlainCase, Step } from './corpus/case.ts';
import { completed } from './corpus/contract-texts.ts';
import { directoryCases } from './corpus/directories.ts';
import { forgeryCases } from './corpus/forgery.ts';
import { hookCases } from './corpus/hooks.ts';
import { inputCases } from './corpus/input.ts';
import { jobCases } from './corpus/jobs.ts';
import { keyCases } from './corpus/keys.ts';
import { outputCases } from './corpus/output.ts';
import { plainCases } from './corpus/plain.ts';
import { shellEndCases } from './corpus/shell-ends.ts';
import { stateCases } from './corpus/state.ts';
import { terminalCases } from './corpus/terminal.ts';
import { timeoutCases } from './corpus/timeouts.ts';
import { shellEnv } from './support/paths.ts';
import { type Answer, terminalKinds, TestSession } from './support/test-shell.ts';

/** How long a step with `until` may take to show what it waits for. */
const patienceMs = 10_000;

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

describe.each(terminalKinds)('%s', (terminal) => {
  describe('corpus', { tags: terminal === 'tmux' ? ['tmux'] : [], timeout: 60_000 }, () => {
    let session: TestSession;
    let impatient: TestSession;

    beforeAll(async () => {
      session = await TestSession.open({ terminal });
      impatient = await TestSession.open({ terminal, noChangeTimeoutSeconds: 1 });
    });
    afterAll(async () => {
      await session.close();
      await impatient.close();
    });

    for (const [theme, cases] of Object.entries(themes))
      describe(theme, () => {
        for (const one of cases)
          test.concurrent(one.name, { tags: one.tags ?? [] }, () => runCase(session, one));
      });

    describe('time-outs', () => {
      for (const one of timeoutCases) test.concurrent(one.name, () => runCase(impatient, one));
    });

    describe('plain commands, compared with bash -c', () => {
      for (const one of plainCases) test.concurrent(one.name, () => runPlainCase(session, one));
    });
  });
});

async function runCase(session: TestSession, { name, steps }: Case): Promise<void> {
  const shell = shellNameOf(name);
  const cwd = caseDirectory(session, shell);
  await session.output(`cd ${cwd}`, { shell });
  for (const step of steps) await runStep(session, shell, cwd, step);
  await checkUsable(session, shell);
  await session.executor.shells.end(shell);
}

async function runPlainCase(session: TestSession, { name, command }: PlainCase): Promise<void> {
  const shell = shellNameOf(name);
  const cwd = caseDirectory(session, shell);
  await session.output(`cd ${cwd}`, { shell });
  const ours = await session.run(command, { shell });
  await checkUsable(session, shell);
  await session.executor.shells.end(shell);
  // One pipe for both streams, so that their order is kept.
  const script = `exec 2>&1; eval "$1"`;
  const oracle = spawnSync('bash', ['-c', script, 'bash', command], {
    cwd: caseDirectory(session, `${shell}-oracle`),
    env: shellEnv(session.home),
    encoding: 'utf8',
  });
  expect({ content: ours.content, exitCode: metadataOf(ours)?.exit_code }).toEqual({
    content: oracle.stdout.replace(/\n$/, ''),
    exitCode: oracle.status,
  });
}

async function runStep(session: TestSession, shell: string, cwd: string, step: Step): Promise<void> {
  const { timeout = 15, blocking = false, hidden = false } = step;
  const options = {
    shell,
    timeout,
    blocking,
    hidden,
    isInput: step.input !== undefined,
    isStatic: step.static ?? false,
  };
  const command = (step.input ?? step.run ?? '').replaceAll(
    '@SHELL@',
    join(session.sessionDir, 'shells', shell),
  );
  const answer = await session.run(command, step.static ? { ...options, cwd: step.cwd ?? cwd } : options);
  if (step.until !== undefined) return readUntil(session, shell, answer, step.until);
  check(answer, command, step.expect ?? {});
}

async function readUntil(session: TestSession, shell: string, first: Answer, until: RegExp): Promise<void> {
  let { content } = first;
  let answer = first;
  const deadline = performance.now() + patienceMs;
  while (!until.test(content) && metadataOf(answer)?.exit_code === -1 && performance.now() < deadline) {
    answer = await session.run('', { shell, timeout: 0.2 });
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

async function checkUsable(session: TestSession, shell: string): Promise<void> {
  const word = `ok-${Math.random().toString(36).slice(2)}`;
  const answer = await session.run(`builtin echo ${word}`, { shell });
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

function caseDirectory(session: TestSession, shell: string): string {
  const path = join(session.workspace, shell);
  mkdirSync(path, { recursive: true });
  return path;
}
