import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { HostProcess } from './support/host-process.ts';
import { makeRoot, testPaths } from './support/paths.ts';
import { type Answer, exitCodeOf, processesIn, TestSession } from './support/test-shell.ts';

const count = 60;
const numbers = Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
const slowLines = `echo began >>began; for i in {1..${count}}; do echo line $i; sleep 0.01; done; (exit 7)`;
const fastLines = `echo began >>began; for i in {1..${count}}; do echo line $i; done; until [ -e go ]; do sleep 0.01; done; (exit 7)`;

afterAll(() => TestSession.closeAll());

function tmux(root: string, ...command: string[]): string {
  const socket = join(testPaths(root).sessionDir, 'tmux');
  return execFileSync('tmux', ['-S', socket, ...command], { encoding: 'utf8' });
}

function killTerminals(root: string): void {
  process.kill(Number(tmux(root, 'display-message', '-p', '#{pid}')), 'SIGKILL');
}

function screen(root: string): string {
  return tmux(root, 'capture-pane', '-p', '-t', 'main');
}

/** A server is killed in the middle of a command; the next one on the same session directory goes on. */
describe.concurrent('after a kill -9', { tags: ['tmux'], timeout: 40_000 }, () => {
  test.each([0, 30, 150, 350, 650])(
    '%i ms into a command: every line once, and the real exit code',
    async (afterMs) => {
      const root = makeRoot();
      const host = await HostProcess.start(root, 'tmux');
      host.send('the-action', slowLines);
      await host.message(({ output }) => output === 'the-action');
      await delay(afterMs);
      await host.kill();
      const session = await TestSession.open({ terminal: 'tmux', root });
      const answer = await session.executor.resume('the-action', { actionId: 'again' }, 20);
      expect(answer?.content).toBe(numbers);
      expect(exitCodeOf(answer as Answer)).toBe(7);
      expect(readFileSync(join(session.workspace, 'began'), 'utf8')).toBe('began\n');
      expect(session.executor.resume('the-action', { actionId: 'again' })).toBeUndefined();
      expect(await session.output('echo on')).toBe('on');
      await session.close();
    },
  );

  test.each([0, 1, 3])(
    '%i ms after the command is sent: it runs once or not at all, and what is known of it is true',
    async (afterMs) => {
      const root = makeRoot();
      const host = await HostProcess.start(root, 'tmux');
      host.send('the-action', slowLines);
      await host.message(({ sent }) => sent === 'the-action');
      await delay(afterMs);
      await host.kill();
      const session = await TestSession.open({ terminal: 'tmux', root });
      const answer = await session.executor.resume('the-action', { actionId: 'again' }, 20);
      if (answer === undefined) {
        expect(await session.output('echo on')).toBe('on');
        expect(existsSync(join(session.workspace, 'began'))).toBe(false);
      } else {
        expect(answer.content).toBe(numbers);
        expect(readFileSync(join(session.workspace, 'began'), 'utf8')).toBe('began\n');
      }
      await session.close();
    },
  );

  test('the command ended while nobody was there', async () => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'tmux');
    host.send('the-action', `export KEPT=1; ${fastLines}`);
    await host.message(({ output }) => output === 'the-action');
    await host.kill();
    const aside = await TestSession.open({ terminal: 'pty' });
    await aside.output(`touch ${testPaths(root).workspace}/go; sleep 0.5`);
    await aside.close();
    const session = await TestSession.open({ terminal: 'tmux', root });
    const answer = await session.executor.resume('the-action', { actionId: 'again' }, 5);
    expect(answer?.content).toBe(numbers);
    expect(exitCodeOf(answer as Answer)).toBe(7);
    expect(await session.output('pwd; echo $KEPT')).toBe(`${session.workspace}\n1`);
    await session.close();
  });

  test('the shell ended while nobody was there', async () => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'tmux');
    host.send('the-action', `export KEPT=1; cd /usr; echo before; sleep 0.4; echo last words; exit 9`);
    await host.message(({ output }) => output === 'the-action');
    await host.kill();
    await delay(800);
    const session = await TestSession.open({ terminal: 'tmux', root });
    const answer = await session.executor.resume('the-action', { actionId: 'again' }, 5);
    expect(answer?.content).toBe('before\nlast words');
    expect(exitCodeOf(answer as Answer)).toBe(9);
    expect(await session.output('echo $KEPT; pwd')).toBe('1\n/usr');
    await session.close();
  });

  test('a shell at its prompt is found with its state, and others with theirs', async () => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'tmux');
    await host.run('one', 'x="not exported"; f() { echo from f; }; cd /usr');
    await host.run('two', 'y=other', 'second');
    await host.kill();
    const session = await TestSession.open({ terminal: 'tmux', root });
    expect(session.executor.shells.names().sort()).toEqual(['main', 'second']);
    expect(exitCodeOf((await session.executor.resume('one', { actionId: 'again' })) as Answer)).toBe(0);
    expect(await session.output('echo "$x"; f; pwd')).toBe('not exported\nfrom f\n/usr');
    expect(await session.output('echo "$y"', { shell: 'second' })).toBe('other');
    await session.close();
  });

  test('of the terminals too, as when a container is killed: the next command runs', async () => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'tmux');
    await host.run('one', 'export KEPT=1; echo x >>runs');
    killTerminals(root);
    await host.kill();
    const session = await TestSession.open({ terminal: 'tmux', root });
    expect(await session.output('echo x >>runs; cat runs; echo $KEPT')).toBe('x\nx\n1');
    await session.close();
  });

  test.each(['before', 'behind'])(
    'of the terminals too, and of the next server %s the first prompt: the new shell does not end what the old one ran',
    async (when) => {
      const root = makeRoot();
      const host = await HostProcess.start(root, 'tmux');
      host.send('the-action', 'echo begun; sleep 1234.6');
      await host.message(({ output }) => output === 'the-action');
      killTerminals(root);
      await host.kill();
      const next = await HostProcess.start(root, 'tmux');
      if (when === 'behind') await vi.waitFor(() => expect(screen(root)).toMatch(/[$#] *\n/), 10_000);
      await next.kill();
      const session = await TestSession.open({ terminal: 'tmux', root });
      expect(session.executor.resume('the-action', { actionId: 'again' })).toBeUndefined();
      expect(await session.output('echo on')).toBe('on');
      await session.close();
    },
  );

  test('of two servers, one after the other: the exit code is still the first one', async () => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'tmux');
    await host.run('the-action', '(exit 7)');
    await host.kill();
    // It asks the shell where it stands, which is another line at its prompt.
    const next = await HostProcess.start(root, 'tmux');
    await next.kill();
    const session = await TestSession.open({ terminal: 'tmux', root });
    const answer = await session.executor.resume('the-action', { actionId: 'again' }, 5);
    expect(exitCodeOf(answer as Answer)).toBe(7);
    await session.close();
  });

  test('a program that waits for input goes on waiting, and gets it', async () => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'tmux');
    host.send('the-action', 'echo ready; read -r -p "name? " n; echo "hello $n"');
    await host.message(({ output }) => output === 'the-action');
    await host.kill();
    const session = await TestSession.open({ terminal: 'tmux', root });
    const waiting = await session.executor.resume('the-action', { actionId: 'again' }, 0.3);
    expect(exitCodeOf(waiting as Answer)).toBe(-1);
    expect(waiting?.content).toBe('ready\nname? ');
    const answer = await session.run('Ann', { isInput: true });
    expect(answer.content).toBe('Ann\nhello Ann');
    expect(exitCodeOf(answer)).toBe(0);
    await session.close();
  });

  test('a plain pty goes with its server, also while its shell is in a loop', async ({ expect }) => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'pty');
    host.send('the-action', 'echo started; until [ -e never ]; do sleep 0.01; done');
    await host.message(({ output }) => output === 'the-action');
    await host.kill();
    await expect.poll(() => processesIn(root), { timeout: 10_000 }).toEqual([]);
    rmSync(root, { recursive: true });
  });

  test('a plain pty goes with its server, and the next one starts anew without a trace of the old', async () => {
    const root = makeRoot();
    const host = await HostProcess.start(root, 'pty');
    host.send('the-action', 'echo started; setsid sleep 1234.5 & sleep 1234.5');
    await host.message(({ output }) => output === 'the-action');
    await host.kill();
    const session = await TestSession.open({ terminal: 'pty', root });
    expect(session.executor.resume('the-action', { actionId: 'again' })).toBeUndefined();
    expect(await session.output('pgrep -fc "^sleep 1234.5" || true')).toBe('0');
    await session.close();
  });
});
