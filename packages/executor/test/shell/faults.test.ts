import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { HostProcess } from './support/host-process.ts';
import { makeRoot, testPaths } from './support/paths.ts';
import { exitCodeOf, processesIn, terminalKinds, TestSession } from './support/test-shell.ts';

afterAll(() => TestSession.closeAll());

describe.concurrent('the tmux server is killed', { tags: ['tmux'] }, () => {
  test('while a command runs: its end is said to be unknown, and the session goes on', async () => {
    const session = await TestSession.open({ terminal: 'tmux' });
    await session.output('export KEPT=1; cd /usr');
    const running = await session.begun(/some output/, 'echo some output; sleep 100');
    await killTmux(session);
    const answer = await running.answer;
    expect(answer.content).toBe('some output');
    expect(exitCodeOf(answer)).toBe(-1);
    expect(answer.extras).toMatchObject({ metadata: { suffix: expect.stringContaining('are unknown') } });
    expect(await session.output('echo $KEPT; pwd')).toBe('1\n/usr');
    expect(await session.output('pgrep -fc "^sleep 100$" -s 0 || true')).toBe('0');
    await session.close();
  });

  test('while nothing runs: the next command runs, in every shell', async () => {
    const session = await TestSession.open({ terminal: 'tmux' });
    await session.output('export KEPT=1; cd /usr');
    await session.output('cd /etc', { shell: 'second' });
    await killTmux(session);
    expect(await session.output('echo $KEPT; pwd')).toBe('1\n/usr');
    expect(await session.output('pwd', { shell: 'second' })).toBe('/etc');
    await session.close();
  });

  test('again and again', async () => {
    const session = await TestSession.open({ terminal: 'tmux' });
    for (let round = 0; round < 5; round += 1) {
      await killTmux(session);
      expect(await session.output(`echo ${round}`)).toBe(String(round));
    }
    await session.close();
  });
});

describe.each(terminalKinds)('%s', (terminal) => {
  describe.concurrent('faults', { tags: terminal === 'tmux' ? ['tmux'] : [], timeout: 40_000 }, () => {
    test("the shell's own process is killed from outside", async () => {
      const session = await TestSession.open({ terminal });
      const pid = Number(await session.output('echo $$'));
      const running = await session.begun(/some output/, 'echo some output; sleep 100');
      process.kill(pid, 'SIGKILL');
      const answer = await running.answer;
      expect(answer.content).toMatch(/^some output/);
      expect(exitCodeOf(answer)).toBe(137);
      expect(await session.output('echo on')).toBe('on');
      await session.close();
    });

    test('the process around the shell is killed', async () => {
      const session = await TestSession.open({ terminal });
      const parent = Number(await session.output('echo $PPID'));
      const running = await session.begun(/some output/, 'echo some output; sleep 100', { timeout: 5 });
      process.kill(parent, 'SIGKILL');
      const answer = await running.answer;
      expect(answer.content).toMatch(/^some output/);
      expect(answer.extras).toMatchObject({
        metadata: { suffix: expect.stringMatching(/unknown|exit code 1\d\d/) },
      });
      expect(await session.output('echo on')).toBe('on');
      await session.close();
    });

    test.each([
      ['exits', 'exit 5'],
      ['is broken', 'if ('],
      ['replaces the shell', 'exec true'],
      ['prints', 'echo noise; printf half'],
      [
        'sets traps and prompts',
        'trap "echo trapped" EXIT DEBUG; trap - DEBUG; PS1="mine> "; PROMPT_COMMAND="true"; set -o vi',
      ],
      [
        'turns options on',
        'set -u -o pipefail; shopt -s extglob; export HISTCONTROL=ignoreboth; unset HISTFILE',
      ],
      ['closes standard input', 'exec </dev/null'],
    ])('a ~/.bashrc that %s', async (_, content) => {
      const session = await TestSession.open({ terminal, root: rootWithBashrc(content) });
      const answer = await session.run('echo usable; (exit 3)');
      expect(answer.content).toBe('usable');
      expect(exitCodeOf(answer)).toBe(3);
      await session.close();
    });

    test('a session directory on a full disk', async () => {
      const root = makeRoot();
      const { sessionDir } = testPaths(root);
      mkdirSync(sessionDir);
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'none', sessionDir]);
      // Not everyone may mount; who may not has no cheap disk to fill.
      if (mounted.status !== 0) return rmSync(root, { recursive: true });
      try {
        const session = await TestSession.open({ terminal, root });
        await session.output('echo first');
        fill(join(sessionDir, 'filler'));
        const full = await session.run(`: ${'x'.repeat(20_000)}`, { timeout: 5 });
        expect(full).toMatchObject({ observation: 'error', content: expect.stringContaining('ENOSPC') });
        const small = await session.run('echo small', { timeout: 5 });
        expect(small.content).toMatch(/^small$|ENOSPC/);
        const other = await session.run('echo other', { shell: 'other', timeout: 20 });
        expect(other.content).toMatch(/^other$|ENOSPC|could not be started/);
        rmSync(join(sessionDir, 'filler'));
        expect(await session.output('echo again')).toBe('again');
        await session.executor.close();
        expect(processesIn(root)).toEqual([]);
      } finally {
        execFileSync('umount', ['-l', sessionDir]);
        rmSync(root, { recursive: true });
      }
    });

    test('no file descriptors left for a terminal', async () => {
      const root = makeRoot();
      const host = await HostProcess.start(root, terminal);
      expect((await host.run('one', 'echo first')).content).toBe('first');
      limitFiles(host.pid, 3);
      const refused = await host.run('two', 'echo second', 'second');
      expect(refused).toMatchObject({
        observation: 'error',
        content: expect.stringContaining('could not be started'),
      });
      limitFiles(host.pid, 1024);
      expect((await host.run('three', 'echo third', 'second')).content).toBe('third');
      expect((await host.run('four', 'echo fourth')).content).toBe('fourth');
      await host.end();
      expect(processesIn(root)).toEqual([]);
      rmSync(root, { recursive: true });
    });
  });
});

test('a ~/.bashrc that never ends is left out after a while', { timeout: 40_000 }, async () => {
  const session = await TestSession.open({ terminal: 'pty', root: rootWithBashrc('sleep 1000') });
  expect(await session.output('echo usable', { timeout: 30 })).toBe('usable');
  await session.close();
});

/** And sees it gone, with its client: what is sent meanwhile may or may not arrive. */
async function killTmux(session: TestSession): Promise<void> {
  const lines = processesIn(session.root).filter((line) => /^\d+ tmux/.test(line));
  process.kill(tmuxPid(session), 'SIGKILL');
  await expect
    .poll(() => processesIn(session.root).filter((line) => lines.includes(line)), { timeout: 10_000 })
    .toEqual([]);
}

function tmuxPid(session: TestSession): number {
  const socket = join(session.sessionDir, 'tmux');
  return Number(
    execFileSync('tmux', ['-S', socket, 'display-message', '-p', '#{pid}'], { encoding: 'utf8' }),
  );
}

function rootWithBashrc(content: string): string {
  const root = makeRoot();
  const { home } = testPaths(root);
  mkdirSync(home);
  writeFileSync(join(home, '.bashrc'), `${content}\n`);
  return root;
}

function fill(file: string): void {
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=1k']);
  expect(readFileSync(file).length).toBeGreaterThan(0);
}

function limitFiles(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
}
