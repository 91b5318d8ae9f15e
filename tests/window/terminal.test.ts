import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

describe("an agent's terminal", windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
  let owner: Caller;
  let window: VscodeWindow;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ until: 'suite' });
    await window.connect(owner);
  }, windowNeeds.timeout);

  async function newAgent(name: string, env: Record<string, string> = {}): Promise<string> {
    const { id } = await owner.create({ driver: 'window', labels: { agent: name }, env });
    return id;
  }

  const isInEditor = () =>
    window.page.evaluate('document.activeElement.closest(".editor-instance") !== null') as Promise<boolean>;

  test('opens in the background: no panel comes up, and the focus stays in the editor', async () => {
    await window.executeCommand('workbench.action.closePanel');
    await window.workbench.openFile('README.md');
    const id = await newAgent('Quiet');
    expect(await owner.run(id, 'echo done')).toMatchObject({ content: 'done' });
    await window.until('the tab', (vscode) => vscode.window.terminals.some(({ name }) => name === 'Quiet'));
    expect(await window.page.locator('.part.panel:visible').count()).toBe(0);
    expect(await isInEditor()).toBe(true);
  });

  test('comes to the front for a command where the user wants it, and leaves the focus alone', async () => {
    await window.setting('fairlead.terminal.reveal', 'onRun');
    await window.workbench.openFile('README.md');
    const id = await newAgent('Shown');
    await owner.run(id, 'echo look at this');
    await window.terminal('Shown').shows(/^look at this$/m);
    expect(await isInEditor()).toBe(true);
    await window.setting('fairlead.terminal.reveal', 'never');
  });

  test("has the tab's size for the user, and its own for the agent", async () => {
    const id = await newAgent('Wide');
    expect((await owner.run(id, 'stty size')).content).toBe('50 500');
    const tab = window.terminal('Wide');
    await tab.show();
    await tab.type('echo "mine: $(stty size) ."\n');
    const [, rows, columns] = /^mine: (\d+) (\d+) \.$/m.exec(await tab.shows(/^mine: \d+ \d+ \.$/m))!;
    expect(Number(columns)).toBeLessThan(300);
    expect(Number(rows)).toBeLessThan(50);

    const { width, height } = window.page.viewportSize()!;
    await window.page.setViewportSize({ width: width - 200, height });
    let asked = 0;
    const columnsNow = async () => {
      asked += 1;
      await tab.type(`echo "now ${asked}: $(stty size) ."\n`);
      const told = new RegExp(`^now ${asked}: \\d+ (\\d+) \\.$`, 'm');
      return Number(told.exec(await tab.shows(told))![1]);
    };
    // The tab follows the window a moment later.
    await expect.poll(columnsNow, { timeout: 60_000 }).toBeLessThan(Number(columns));
    await window.page.setViewportSize({ width, height });

    const long = 'x'.repeat(400);
    const ran = await owner.run(id, `stty size; echo ${long}; printf '%s\\n' a b c | column -c "$COLUMNS"`);
    expect(ran.content).toBe(`50 500\n${long}\na\tb\tc`);
  });

  test('can be closed while a command runs, and opened again with what it has printed', async () => {
    const id = await newAgent('Closed');
    const running = owner.run(id, 'echo before; read -r line; echo "got $line"');
    const tab = window.terminal('Closed');
    await tab.show();
    await tab.shows(/^before$/m);
    await tab.close();
    await window.until('the tab to be gone', (vscode) =>
      vscode.window.terminals.every(({ name }) => name !== 'Closed'),
    );
    await owner.act(id, { action: 'run', args: { command: 'something', is_input: true }, timeout: 30 });
    expect(await running).toMatchObject({ content: 'before\nsomething\ngot something', exitCode: 0 });
    expect(await owner.run(id, 'echo unseen')).toMatchObject({ content: 'unseen', exitCode: 0 });
    expect(await window.terminalNames()).not.toContain('Closed');

    await window.runCommand("Fairlead: Show Agent's Terminal");
    await window.pick(/^Closed/);
    const shown = await tab.shows(/^unseen$/m);
    expect(shown).toMatch(/^before$/m);
    await tab.type('echo "typed $((40 + 2))"\n');
    await tab.shows(/^typed 42$/m);
  });

  test('of an agent that has left says so, and is closed by a key', async () => {
    const id = await newAgent('Leaving');
    await owner.run(id, 'echo the last words');
    const tab = window.terminal('Leaving');
    await tab.show();
    await owner.remove(id);
    const shown = await tab.shows(/Leaving has left\. Press any key to close this terminal/);
    expect(shown).toMatch(/^the last words$/m);
    await tab.press('x');
    await window.until('the tab to be gone', (vscode) =>
      vscode.window.terminals.every(({ name }) => name !== 'Leaving'),
    );
  });

  test('that was ended by name is gone, and the next command of that name starts a new one', async () => {
    const id = await newAgent('Builder');
    await owner.run(id, 'echo first', { shell: 'build' });
    await window.until('the tab', (vscode) =>
      vscode.window.terminals.some(({ name }) => name === 'Builder: build'),
    );
    await owner.call('DELETE', `/runtimes/${id}/shells/build`);
    await window.until('the tab to be gone', (vscode) =>
      vscode.window.terminals.every(({ name }) => name !== 'Builder: build'),
    );
    await owner.run(id, 'echo second', { shell: 'build' });
    await window.terminal('Builder: build').show();
    expect(await window.terminal('Builder: build').shows(/^second$/m)).not.toMatch(/^first$/m);
  });

  test('survives 200 MB of output: the window answers meanwhile, and the tab ends with the end', async () => {
    const id = await newAgent('Flood');
    await owner.run(id, 'true');
    const tab = window.terminal('Flood');
    await tab.show();
    const flood = `head -c 200000000 /dev/zero | tr '\\0' x | fold -w 100; echo; echo the end é`;
    const ran = owner.run(id, flood, { timeout: 200 });
    let slowestMs = 0;
    let isOver = false;
    const looking = (async () => {
      while (!isOver) {
        const askedMs = performance.now();
        await window.page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
        slowestMs = Math.max(slowestMs, performance.now() - askedMs);
      }
    })();
    expect(await ran).toMatchObject({ exitCode: 0 });
    await tab.shows(/^the end é$/m);
    isOver = true;
    await looking;
    expect(slowestMs).toBeLessThan(20_000);
  });

  test("has the user's environment and the session's, and nothing of VS Code's or of ours", async () => {
    const id = await newAgent('Env', { GREETING: 'hello' });
    const { content } = await owner.run(id, 'env');
    const names = content.split('\n').map((line) => line.split('=', 1)[0]);
    expect(content).toMatch(/^GREETING=hello$/m);
    expect(content).toMatch(/^HOME=.*\/home$/m);
    expect(names).toContain('PATH');
    expect(
      names.filter((name) => /^(VSCODE|ELECTRON|CODE_SERVER)_|^NODE_OPTIONS$|^PASSWORD$/.test(name!)),
    ).toEqual([]);
    // Those two are the shell's own.
    const ours = names.filter((name) => name!.startsWith('FAIRLEAD_'));
    expect(new Set(ours)).toEqual(new Set(['FAIRLEAD_SCOPE', 'FAIRLEAD_SHELL_PID']));
  });
});
