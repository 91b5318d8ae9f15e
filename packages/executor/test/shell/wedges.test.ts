import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeRoot, testPaths } from './support/paths.ts';
import { exitCodeOf, terminalKinds, TestSession } from './support/test-shell.ts';

afterEach(() => TestSession.closeAll());

describe.each(terminalKinds)('%s: nothing wedges the shell', { tags: ['tmux'] }, (terminal) => {
  let session: TestSession;

  beforeEach(async () => {
    session = await TestSession.open({ terminal });
    await session.output('true');
  });

  test('a quote that a person left open at the prompt', async () => {
    const main = await session.executor.shells.open('main');
    main.type('echo "abc\r');
    // The continuation prompt has no report of its own.
    await delay(100);
    expect(await session.output('echo fine')).toBe('fine');
    await session.close();
  });

  test('a command that is cancelled as it starts is not run later', async () => {
    for (let round = 0; round < 10; round += 1) {
      const file = join(session.workspace, `started-${round}`);
      const abort = new AbortController();
      const answer = session.run(`sleep 0.3; sleep 0.3; touch ${file}`, { signal: abort.signal });
      await delay(round);
      abort.abort();
      await answer;
      expect(await session.output('echo usable')).toBe('usable');
      expect(existsSync(file)).toBe(false);
    }
    await session.close();
  });

  test('a shell that stopped itself is replaced when it does not take the next command', async () => {
    const answer = await session.run('kill -STOP $$', { timeout: 0.5 });
    expect(exitCodeOf(answer)).toBe(-1);
    for (let press = 0; press < 3; press += 1) await session.run('C-c', { isInput: true, timeout: 0.3 });
    expect(await session.output('echo back')).toBe('back');
    await session.close();
  });

  test('the third Ctrl-C ends what ignores the first two', async () => {
    await session.run("trap '' INT TERM; while :; do :; done", { timeout: 0.3 });
    const presses = [];
    for (let press = 0; press < 3; press += 1)
      presses.push(await session.run('C-c', { isInput: true, timeout: 0.3 }));
    expect(presses.map(exitCodeOf)).toEqual([-1, -1, 137]);
    expect(await session.output('echo back')).toBe('back');
    await session.close();
  });

  test('an agent that removes the directory in which the session is kept', async () => {
    rmSync(session.sessionDir, { recursive: true, force: true });
    const answer = await session.run('echo survived');
    expect([answer.content, exitCodeOf(answer)]).toEqual(['survived', 0]);
    expect(await session.output('echo again')).toBe('again');
    await session.close();
  });

  test('a script that is written with a quoted here-document and then started', async () => {
    const script = `cat > hello.sh <<'EOF'\necho "hello $1"\nEOF\nbash hello.sh you`;
    expect(await session.output(script)).toBe('hello you');
    await session.close();
  });
});

describe.each(terminalKinds)('%s: a slow start', { tags: ['tmux'] }, (terminal) => {
  test('is no reason to answer late, and what was not started is not run afterwards', async () => {
    const root = makeRoot();
    const { home } = testPaths(root);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.bashrc'), 'until [ -e ~/go ]; do sleep 0.02; done\n');
    const session = await TestSession.open({ terminal, root });
    const answer = await session.run('touch early', { timeout: 0.5 });
    expect(answer.extras).toMatchObject({ metadata: { suffix: expect.stringContaining('NOT executed') } });
    writeFileSync(join(home, 'go'), '');
    expect(await session.output('ls')).toBe('');
    await session.close();
  });
});

test('a shell has none of the other shells’ terminals', async () => {
  const session = await TestSession.open({ terminal: 'pty' });
  await session.output('true', { shell: 'one' });
  const open = await session.output('ls -l /proc/$$/fd', { shell: 'two' });
  expect(open).not.toContain('ptmx');
  await session.close();
});
