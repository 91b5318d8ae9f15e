import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { belowIsPrevious, completed, completedByKey, timedOut } from './corpus/contract-texts.ts';
import type { AttachableShell } from '@fairlead/executor';
import type { ShellSession } from '../../src/shell/shell-session.ts';
import { type Answer, exitCodeOf, terminalKinds, TestSession } from './support/test-shell.ts';

afterAll(() => TestSession.closeAll());

describe.each(terminalKinds)('%s', (terminal) => {
  describe('shells', { tags: terminal === 'tmux' ? ['tmux'] : [] }, () => {
    let session: TestSession;
    beforeEach(async () => {
      session = await TestSession.open({ terminal });
    });
    afterEach(() => session.close());

    /** The prompt is shown a moment after an answer; a person who presses Enter gets another. */
    async function openAtPrompt(): Promise<AttachableShell> {
      const main = await session.executor.shells.open('main');
      await session.output('true');
      await session.until(/[$#] $/, () => main.type('\r'));
      return main;
    }

    test('the observation has the wire shape of the contract', async () => {
      const answer = await session.run('echo hello', { hidden: true });
      expect(answer).toEqual({
        observation: 'run',
        content: 'hello',
        message: 'Command `echo hello` executed with exit code 0.',
        extras: {
          command: 'echo hello',
          metadata: {
            exit_code: 0,
            pid: -1,
            username: execFileSync('id', ['-un'], { encoding: 'utf8' }).trim(),
            hostname: execFileSync('hostname', ['-s'], { encoding: 'utf8' }).trim(),
            working_dir: session.workspace,
            py_interpreter_path: expect.toSatisfy((path) => path === null || /python/.test(String(path))),
            prefix: '',
            suffix: completed(0),
          },
          hidden: true,
        },
        success: true,
      });
    });

    test('nothing to retrieve and nothing to interact with name no command', async () => {
      for (const isInput of [false, true]) {
        const answer = await session.run(isInput ? 'y' : '', { isInput });
        expect(answer.extras).toMatchObject({ command: '', metadata: { exit_code: -1, working_dir: null } });
      }
    });

    test('a time-out leaves all other metadata unknown', async () => {
      const answer = await session.run('sleep 100', { timeout: 0.1 });
      expect(answer.extras).toMatchObject({
        command: 'sleep 100',
        metadata: {
          exit_code: -1,
          pid: -1,
          username: null,
          hostname: null,
          working_dir: null,
          py_interpreter_path: null,
        },
      });
    });

    test('the pid of the last background job is in the metadata', async () => {
      const answer = await session.run('sleep 50 &');
      const pid = Number(/^\[1\] (\d+)$/.exec(answer.content)?.[1]);
      expect(answer.extras).toMatchObject({ metadata: { pid } });
      expect((await session.run('true')).extras).toMatchObject({ metadata: { pid } });
    });

    test('named shells run in parallel and share nothing but the workspace', async () => {
      const names = ['one', 'two', 'three', 'four'];
      // Each goes on when all of them have come so far.
      const meet = `until [ -e one -a -e two -a -e three -a -e four ]; do sleep 0.01; done`;
      const answers = await Promise.all(
        names.map((shell) => session.run(`x=${shell}; touch $x; ${meet}; cd /; echo $x`, { shell })),
      );
      expect(answers.map((answer) => answer.content)).toEqual(names);
      expect(await session.output('echo "[${x-}]"; pwd')).toBe(`[]\n${session.workspace}`);
      expect(session.executor.shells.names().sort()).toEqual(['four', 'main', 'one', 'three', 'two']);
      expect(await session.executor.shells.end('two')).toBe(true);
      expect(await session.executor.shells.end('two')).toBe(false);
      expect(await session.output('echo "[${x-}]"', { shell: 'two' })).toBe('[]');
    });

    test('shells come and go while others work', async () => {
      const busy = session.run('for i in {1..60}; do echo $i; sleep 0.02; done', { shell: 'busy' });
      for (let round = 0; round < 4; round += 1) {
        const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter}${round}`);
        const answers = await Promise.all(names.map((shell) => session.run(`echo ${shell}`, { shell })));
        expect(answers.map((answer) => answer.content)).toEqual(names);
        await Promise.all(names.map((shell) => session.executor.shells.end(shell)));
      }
      expect((await busy).content.split('\n')).toHaveLength(60);
    });

    test('requests to one shell are answered in the order they came', async () => {
      const order: number[] = [];
      const answers = await Promise.all(
        [0, 1, 2, 3, 4].map(async (index) => {
          const answer = await session.run(`sleep 0.0${5 - index}; echo ${index}; n=$((n+1)); echo $n`);
          order.push(index);
          return answer.content;
        }),
      );
      expect(answers).toEqual(['0\n1', '1\n2', '2\n3', '3\n4', '4\n5']);
      expect(order).toEqual([0, 1, 2, 3, 4]);
    });

    test('a request that waits behind another beyond its time-out is not executed', async () => {
      const first = session.run('sleep 0.6; echo first');
      const second = await session.run('touch executed', { timeout: 0.2 });
      expect(second.extras).toMatchObject({
        metadata: { exit_code: -1, suffix: expect.stringContaining('"touch executed" is NOT executed') },
      });
      expect((await first).content).toBe('first');
      expect(await session.output('ls')).toBe('');
    });

    test('input does not wait behind the command it is for', async () => {
      const reading = await session.begun(/ready/, 'echo ready; read -r line; echo "got $line"');
      const [answer, input] = await Promise.all([
        reading.answer,
        session.run('hello', { isInput: true, timeout: 10 }),
      ]);
      expect(answer.content).toBe('ready\nhello\ngot hello');
      expect(exitCodeOf(answer)).toBe(0);
      expect(exitCodeOf(input)).toBe(0);
    });

    test('a key does not wait behind the command it is for', async () => {
      const sleeping = await session.begun(/ready/, 'echo ready; sleep 100');
      const key = await session.run('C-c', { isInput: true, timeout: 10 });
      expect(exitCodeOf(await sleeping.answer)).toBe(130);
      expect(key.extras).toMatchObject({ metadata: { exit_code: 130, suffix: completedByKey(130, 'C') } });
    });

    test('live output says whose it is', async () => {
      const seen: { shell: string; actionId: string | null; text: string }[] = [];
      const stop = session.executor.shells.onOutput(({ shell, actionId, data }) =>
        seen.push({ shell, actionId, text: data.toString() }),
      );
      await session.run('echo live', { actionId: 'known' });
      stop();
      await session.run('echo unheard', { actionId: 'known' });
      const own = seen.filter(({ actionId }) => actionId === 'known');
      expect(own.map(({ text }) => text).join('')).toBe('live\r\n');
      expect(own.every(({ shell }) => shell === 'main')).toBe(true);
      expect(seen.some(({ text }) => /7717|unheard/.test(text))).toBe(false);
    });

    describe('cancelling', () => {
      /** When it has printed `begun`. */
      async function cancelled(command: string): Promise<Answer> {
        const abort = new AbortController();
        const { answer } = await session.begun(/begun/, command, { signal: abort.signal, timeout: 30 });
        abort.abort();
        return answer;
      }

      test('a sleep, and what was printed until then is told', async () => {
        const answer = await cancelled('echo begun; sleep 100; echo after');
        expect(answer.content).toMatch(/^begun(\n(\^C)+)?$/);
        expect(answer.extras).toMatchObject({
          metadata: { exit_code: 130, suffix: `${completed(130)}\n[The command was cancelled.]` },
        });
      });

      test('a program that ignores every signal it can', async () => {
        const answer = await cancelled(
          `bash -c 'trap "" INT TERM HUP QUIT; echo begun; while :; do sleep 0.05; done'`,
        );
        expect(exitCodeOf(answer)).toBe(137);
        expect(await session.output('echo on')).toBe('on');
      });

      test('a loop of the shell itself that ignores signals', async () => {
        const answer = await cancelled('trap "" INT TERM; echo begun; while :; do :; done');
        expect(exitCodeOf(answer)).toBe(137);
        expect(answer.extras).toMatchObject({
          metadata: { suffix: expect.stringContaining('a new one took its place') },
        });
        expect(await session.output('echo on')).toBe('on');
      });

      test('a stopped terminal', async () => {
        expect(exitCodeOf(await cancelled('stty -isig; echo begun; cat'))).not.toBe(-1);
        expect(await session.output('stty sane; echo on')).toMatch(/on$/);
      });

      test('before it begins', async () => {
        const first = session.run('sleep 0.4; echo first');
        const abort = new AbortController();
        const cancelled = session.run('touch executed', { signal: abort.signal });
        abort.abort();
        const second = await cancelled;
        expect(second.extras).toMatchObject({
          metadata: { exit_code: -1, suffix: expect.stringContaining('cancelled before it could start') },
        });
        expect((await first).content).toBe('first');
        const third = await session.run('touch executed', { signal: AbortSignal.abort() });
        expect(exitCodeOf(third)).toBe(-1);
        expect(await session.output('ls')).toBe('');
      });

      test('a static command', async () => {
        const abort = new AbortController();
        const command = 'touch begun; sleep 100';
        const answer = session.run(command, { isStatic: true, signal: abort.signal });
        await expect.poll(() => existsSync(join(session.workspace, 'begun'))).toBe(true);
        abort.abort();
        expect(exitCodeOf(await answer)).toBe(130);
      });
    });

    test('a person types, and an agent has to wait', async () => {
      const main = await openAtPrompt();
      await session.until(/typed 42/, () =>
        main.type('echo typed $((40 + 2)); until [ -e go ]; do sleep 0.02; done\r'),
      );
      const refused = await session.run('echo agent');
      expect(refused.extras).toMatchObject({
        metadata: { exit_code: -1, suffix: expect.stringContaining('NOT executed') },
      });
      writeFileSync(join(session.workspace, 'go'), '');
      await expect.poll(async () => (await session.run('echo agent')).content).toBe('agent');
    });

    test('half a line that a person left at the prompt is not in the way', async () => {
      const main = await openAtPrompt();
      await session.until(/half a li/, () => main.type('rm -rf half a li'));
      const answer = await session.run('echo whole');
      expect(answer.content).toBe('whole');
      expect(answer.extras).toMatchObject({ metadata: { prefix: '' } });
    });

    test('a resized terminal is told to what runs in it', async () => {
      const main = await session.executor.shells.open('main');
      main.resize({ cols: 91, rows: 33 });
      await expect.poll(() => session.output('stty size')).toBe('33 91');
    });

    test("a person's screen lends its size to a pty, and not to tmux, until an agent's next command", async () => {
      const main = await openAtPrompt();
      const sizes = 'stty size; echo "$LINES $COLUMNS"; tput cols';
      main.lend({ cols: 91, rows: 33 });
      const seen =
        terminal === 'pty' ? /33 91\r\n33 91\r\n91\r\n[^]*[$#] $/ : /50 500\r\n50 500\r\n500\r\n[^]*[$#] $/;
      await session.until(seen, () => main.type(`${sizes}\r`));
      main.lend({ cols: 92, rows: 34 });
      const answer = await session.run(sizes);
      expect(answer.content).toBe('50 500\n50 500\n500');
      expect(answer.extras).toMatchObject({ metadata: { prefix: '' } });
      const { answer: running } = await session.begun(/go/, 'echo go; read x; stty size');
      main.lend({ cols: 93, rows: 35 });
      main.type('\r');
      expect((await running).content).toBe('go\n\n50 500');
      main.lend({ cols: 91, rows: 33 });
      expect((await session.run('C-c')).extras).toMatchObject({ metadata: { exit_code: 130 } });
      expect(await session.output('stty size')).toBe('50 500');
    });

    test('a slow reader stops the output, not the session', async () => {
      const main = (await session.executor.shells.open('main')) as ShellSession;
      main.pause();
      const answer = session.run('seq 200000; echo end', { timeout: 15 });
      await delay(200);
      main.resume();
      expect((await answer).content).toMatch(/200000\nend$/);
    });

    test('the exact texts of a time-out and of its continuation', async () => {
      await session.output('true');
      const first = await session.run('echo a; read x; echo "b$x"', { timeout: 2 });
      expect(first.content).toBe('a');
      expect(first.extras).toMatchObject({ metadata: { prefix: '', suffix: timedOut('2.0') } });
      const second = await session.run('', { timeout: 0.1 });
      expect(second.extras).toMatchObject({ metadata: { prefix: belowIsPrevious, suffix: timedOut('0.1') } });
      const third = await session.run('!', { isInput: true });
      expect(third.content).toBe('!\nb!');
      expect(third.extras).toMatchObject({ metadata: { prefix: '', suffix: completed(0) } });
    });
  });
});
