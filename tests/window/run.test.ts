import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Caller, runEvent } from '../gateway/support/caller.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

describe('commands in a window', windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
  let owner: Caller;
  let window: VscodeWindow;
  let id: string;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ until: 'suite' });
    await window.connect(owner);
    ({ id } = await owner.create({ driver: 'window', labels: { agent: 'Ada' } }));
  }, windowNeeds.timeout);

  test('run in the folder of the window, and keep directory and variables', async () => {
    expect(await owner.run(id, 'pwd')).toMatchObject({ content: window.path, exitCode: 0 });
    await owner.run(id, 'mkdir -p deep && cd deep && export NAME=Ada');
    expect(await owner.run(id, 'echo "$NAME in $PWD"; (exit 7)')).toMatchObject({
      content: `Ada in ${window.path}/deep`,
      exitCode: 7,
    });
    await owner.run(id, 'cd ..');
  });

  test('are seen live in a tab named after the agent, which does not take the focus', async () => {
    await window.workbench.openFile('README.md');
    const running = owner.run(id, 'echo first line; until [[ -e go ]]; do sleep 0.02; done; echo last line');
    const tab = window.terminal('Ada');
    await tab.show();
    const text = await tab.shows(/^first line$/m);
    expect(text).not.toMatch(/^last line$/m);
    await window.screenshot('window live output');
    expect(await window.page.evaluate('document.activeElement.closest(".editor-instance") !== null')).toBe(
      true,
    );
    writeFileSync(join(window.path, 'go'), '');
    expect(await running).toMatchObject({ content: 'first line\nlast line', exitCode: 0 });
    await tab.shows(/^last line$/m);
  });

  test('get what the person types in the tab', async () => {
    const running = owner.run(id, 'read -rp "Your name? " name; echo "hello $name"');
    const tab = window.terminal('Ada');
    await tab.shows(/Your name\? *$/m);
    await tab.type('Grace\n');
    expect((await running).content).toMatch(/hello Grace$/);
  });

  test('are stopped by Ctrl-C of the person', async () => {
    const running = owner.run(id, 'echo waiting for you; sleep 1000', { timeout: 600 });
    const tab = window.terminal('Ada');
    await tab.shows(/^waiting for you$/m);
    await tab.press('Control+C');
    expect(await running).toMatchObject({ exitCode: 130 });
    expect(await owner.run(id, 'echo still here')).toMatchObject({ content: 'still here', exitCode: 0 });
  });

  test('that take longer than their time-out go on, and are stopped by C-c of the agent', async () => {
    const late = await owner.run(id, 'echo begun; sleep 1000', { timeout: 2 });
    expect(late.exitCode).toBe(-1);
    expect(late.content).toContain('begun');
    const { json } = await owner.act(id, {
      action: 'run',
      args: { command: 'C-c', is_input: true, blocking: true },
      timeout: 30,
    });
    expect(json).toMatchObject({ extras: { metadata: { exit_code: 130 } } });
  });

  test('of several shells run at the same time, each in a tab of its own', async () => {
    const [one, other] = await Promise.all([
      owner.run(id, 'until [[ -e other ]]; do sleep 0.02; done; echo one'),
      owner.act(id, runEvent('touch other; echo other', { shell: 'second' })),
    ]);
    expect(one).toMatchObject({ content: 'one', exitCode: 0 });
    expect(other.json).toMatchObject({ content: 'other' });
    await window.terminal('Ada: second').show();
    await window.terminal('Ada: second').shows(/^other$/m);
  });

  test('stream their output to whoever watches, without a gap', async () => {
    const watcher = await owner.watch(id).live();
    const { actionId } = await owner.run(id, 'for n in $(seq 200); do echo "line $n"; done');
    await watcher.observed(actionId);
    const lines = watcher
      .output(actionId)
      .split(/\r?\n/)
      .filter((line) => line.startsWith('line '));
    expect(lines).toEqual(Array.from({ length: 200 }, (_, index) => `line ${index + 1}`));
    watcher.close();
  });
});
