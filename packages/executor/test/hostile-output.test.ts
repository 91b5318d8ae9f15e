import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Executor, type ExecutorOptions, openExecutor } from '@fairlead/executor';
import { runArgs, type RunObservation } from '@fairlead/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { AlternateScreenWatch } from '../src/shell/render/escape-scan.ts';

test('a sequence of very many modes is searched in one pass', () => {
  const watch = new AlternateScreenWatch();
  const startMs = performance.now();
  expect(watch.feed(Buffer.from(`\x1b[?${'47;'.repeat(100_000)}`))).toBe(false);
  // One pass for each mode would take a minute.
  expect(performance.now() - startMs).toBeLessThan(10_000);
  expect(watch.feed(Buffer.from('\x1b[?25;1049;1h'))).toBe(true);
});

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

test('a traced command may print very many plus signs', { timeout: 20_000 }, async () => {
  const executor = await open('pty');
  await run(executor, 'set -x');
  const { content } = await run(executor, `{ printf '+%.0s' {1..200000}; } 2>/dev/null; echo; echo end`);
  expect(content).toContain('+++');
  expect(content).toMatch(/\nend$/);
  expect(content).not.toContain('__f');
});

test('input that no program reads does not stop the server', { timeout: 20_000 }, async () => {
  const executor = await open('pty');
  await run(executor, 'sleep 1000', { timeout: 0.2 });
  const sent = run(executor, 'x\n'.repeat(100_000), { timeout: 1, isInput: true });
  expect((await run(executor, 'echo free', { shell: 'other' })).content).toBe('free');
  expect((await sent).extras.metadata.suffix).toContain('timed out');
});

test('input longer than a terminal holds reaches a program that reads it', { timeout: 20_000 }, async () => {
  const executor = await open('pty');
  await run(executor, 'stty -echo; sleep 0.5; head -n 50000 | md5sum; stty echo', { timeout: 0.2 });
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`).join('\n');
  const { content } = await run(executor, lines, { isInput: true });
  expect(content).toContain(createHash('md5').update(`${lines}\n`).digest('hex'));
});

describe('on tmux', { tags: ['tmux'] }, () => {
  test('a tmux used in the shell is not the one that holds it', async () => {
    const executor = await open('tmux');
    const { content } = await run(executor, 'echo "[$TMUX$TMUX_PANE]"');
    expect(content).toBe('[]');
  });
});

test.runIf(process.getuid?.() === 0)("another user's shell may open its terminal by name", async () => {
  const user = { name: 'nobody', uid: 65534, gid: 65534, home: '/' };
  const executor = await open('pty', { user });
  const { content } = await run(executor, 'id -un; echo oops >/dev/stderr');
  expect(content).toBe('nobody\noops');
});

async function open(terminal: 'pty' | 'tmux', extra: Partial<ExecutorOptions> = {}): Promise<Executor> {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-hostile-'));
  mkdirSync(join(directory, 'session'));
  // Another user passes through to its own directory.
  for (const path of [directory, join(directory, 'session')]) chmodSync(path, 0o711);
  const executor = await openExecutor({
    workspace: directory,
    sessionDir: join(directory, 'session'),
    terminal,
    noChangeTimeoutSeconds: 10,
    env: { PATH: process.env['PATH'] ?? '', HOME: directory },
    ...extra,
  });
  cleanUps.push(
    () => executor.close(),
    () => rmSync(directory, { recursive: true, force: true }),
  );
  return executor;
}

interface RunOptions {
  timeout?: number;
  isInput?: boolean;
  shell?: string;
}

let actions = 0;

async function run(executor: Executor, command: string, options: RunOptions = {}): Promise<RunObservation> {
  const { timeout = 15, isInput = false, shell = 'main' } = options;
  const args = runArgs.parse({ command, is_input: isInput });
  const context = { actionId: `a${(actions += 1)}`, signal: new AbortController().signal };
  return (await executor.execute({ action: 'run', args, timeout, shell }, context)) as RunObservation;
}
