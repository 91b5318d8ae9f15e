import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Cgroup } from '../../src/processes/cgroup.ts';
import { ProcessScope } from '../../src/processes/process-scope.ts';
import { killTagged } from '../../src/processes/tagged-processes.ts';
import { terminalKinds, TestSession } from './support/test-shell.ts';

const canGroup = await hasCgroups();

afterAll(() => TestSession.closeAll());

describe.each(terminalKinds)('%s', (terminal) => {
  describe('nothing is left behind', { tags: terminal === 'tmux' ? ['tmux', 'ps'] : ['ps'] }, () => {
    test.each([
      ['a background job', (sleep: string) => `${sleep} &`],
      ['a job without a terminal', (sleep: string) => `nohup ${sleep} >/dev/null 2>&1 &`],
      ['a session of its own', (sleep: string) => `setsid -f ${sleep}`],
      ['a double fork with closed files', (sleep: string) => `(setsid sh -c "${sleep} <&- >&- 2>&- &" &)`],
      ['a child that ignores signals', (sleep: string) => `(trap "" HUP INT TERM; ${sleep} &)`],
      ['a disowned job', (sleep: string) => `${sleep} & disown`],
      ['a foreground command', (sleep: string) => sleep],
    ])('%s', async (_, command) => {
      await expectGone(terminal, command);
    });

    test.runIf(canGroup)('a daemon that also dropped its environment', async () => {
      await expectGone(
        terminal,
        (sleep) => `(setsid env -i /bin/sh -c "cd /; exec ${sleep} <&- >&- 2>&-" &)`,
      );
    });

    test('ending one shell leaves the processes of another alone', async () => {
      const session = await TestSession.open({ terminal });
      const [mine, other] = [uniqueSleep(), uniqueSleep()];
      await session.run(`setsid -f ${mine}`, { shell: 'mine' });
      await session.run(`setsid -f ${other}`, { shell: 'other' });
      await expect.poll(() => [countOf(mine), countOf(other)]).toEqual([1, 1]);
      await session.executor.shells.end('mine');
      expect([countOf(mine), countOf(other)]).toEqual([0, 1]);
      await session.close();
      expect(countOf(other)).toBe(0);
    });

    test('a shell that was ended is heard no more', async () => {
      const session = await TestSession.open({ terminal });
      const told: string[] = [];
      session.executor.shells.onOutput(({ shell }) => shell === 'brief' && told.push('printed'));
      session.executor.shells.onEnd(() => told.push('ended'));
      for (let round = 0; round < 5; round += 1) {
        // Its prompt is still on its way when it is ended.
        await session.run('echo x', { shell: 'brief' });
        await session.executor.shells.end('brief');
        expect(told.at(-1)).toBe('ended');
      }
      await session.close();
    });

    test('a static command ends with all that it started', async () => {
      const session = await TestSession.open({ terminal });
      const sleep = uniqueSleep();
      await session.run(`setsid -f ${sleep}; ${sleep} & echo`, { isStatic: true });
      await expect.poll(() => countOf(sleep)).toBe(0);
      await session.close();
    });

    test('opening and closing over and over', { timeout: 60_000 }, async () => {
      const groups: string[] = [];
      const cycle = async () => {
        const session = await TestSession.open({ terminal });
        groups.push(...cgroupsOf(session));
        await session.output('sleep 100 & true');
        await session.close();
      };
      await cycle();
      await cycle();
      const before = openFiles();
      for (let round = 0; round < (terminal === 'pty' ? 50 : 25); round += 1) await cycle();
      expect(groups.filter((group) => existsSync(group))).toEqual([]);
      await expect.poll(openFiles).toBeLessThanOrEqual(before);
    });

    test('commands and shells over and over', { timeout: 60_000 }, async () => {
      const session = await TestSession.open({ terminal });
      const round = async (index: number) => {
        await session.output(`echo ${index}`, { shell: `s${index}` });
        await session.run('exit 1', { shell: `s${index}` });
        await session.run('true', { isStatic: true });
        await session.executor.shells.end(`s${index}`);
      };
      for (let index = 0; index < 3; index += 1) await round(index);
      const before = openFiles();
      for (let index = 0; index < 15; index += 1) await round(index);
      await expect.poll(openFiles).toBeLessThanOrEqual(before);
      await session.close();
    });
  });
});

describe('processes known by their environment', () => {
  test('are killed wherever they are, and nothing else is', async () => {
    const tag = `tag-${randomInt(1e9)}`;
    const [own, other] = [uniqueSleep(), uniqueSleep()];
    const children = [start(own, { FAIRLEAD_TEST: tag }), start(other, { FAIRLEAD_TEST: `${tag}-other` })];
    await expect.poll(() => [countOf(own), countOf(other)]).toEqual([1, 1]);
    await killTagged('FAIRLEAD_TEST', tag);
    await expect.poll(() => [countOf(own), countOf(other)]).toEqual([0, 1]);
    for (const child of children) child.kill('SIGKILL');
  });

  test('do not count when they are dead and nobody has waited for them', async () => {
    const tag = `tag-${randomInt(1e9)}`;
    // The parent is free of the tag, and never waits for its child, which has it.
    const parent = spawn('bash', [
      '-c',
      `FAIRLEAD_TEST=${tag} sleep 0.01 & exec env -u FAIRLEAD_TEST sleep 50`,
    ]);
    await expect.poll(() => childStates(parent.pid!)).toEqual(['Z']);
    const signalled = vi.spyOn(process, 'kill');
    onTestFinished(() => signalled.mockRestore());
    await killTagged('FAIRLEAD_TEST', tag);
    expect(signalled).not.toHaveBeenCalled();
    parent.kill('SIGKILL');
  });
});

async function expectGone(terminal: 'pty' | 'tmux', command: (sleep: string) => string): Promise<void> {
  const session = await TestSession.open({ terminal });
  const sleep = uniqueSleep();
  await session.run(command(sleep), { timeout: 0.4 });
  await expect.poll(() => countOf(sleep)).toBeGreaterThan(0);
  await session.close();
  expect(countOf(sleep)).toBe(0);
}

function childStates(pid: number): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map((child) => /^State:\s*(\w)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))![1]!);
}

/** A command line that no other process has. */
function uniqueSleep(): string {
  return `sleep ${randomInt(1000, 9999)}.${randomInt(1e9)}`;
}

function start(command: string, env: Record<string, string>): ChildProcess {
  return spawn('/bin/sh', ['-c', `exec ${command}`], {
    env: { ...env, PATH: process.env['PATH'] ?? '' },
    detached: true,
    stdio: 'ignore',
  });
}

function countOf(command: string): number {
  const lines = execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => /^[^Z]\S* +/.test(line) && line.replace(/^\S+ +/, '') === command).length;
}

function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

/** The control groups that the session's shell is in, if any are made here. */
function cgroupsOf(session: TestSession): string[] {
  const { joinFile } = new ProcessScope(join(session.sessionDir, 'shells', 'main'));
  return joinFile === undefined ? [] : [dirname(joinFile)];
}

async function hasCgroups(): Promise<boolean> {
  const group = Cgroup.open(`fairlead-test-${randomInt(1e9)}`);
  await group?.kill();
  return group !== undefined;
}
