import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** VS Code puts its reports into a bash only where it starts it without arguments. */
const profiles = {
  'fairlead.consent.run': 'allow',
  'terminal.integrated.defaultProfile.linux': 'bash',
  'terminal.integrated.profiles.linux': { bash: { path: '/bin/bash', args: [] } },
};

interface Told {
  content: string;
  exitCode: number;
  directory: string | null;
  prefix: string;
  suffix: string;
}

describe("commands by VS Code's shell integration", windowNeeds, () => {
  const windows = useWindows({ settings: { ...profiles, 'fairlead.terminal.engine': 'shellIntegration' } });
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

  async function run(id: string, command: string, more: Record<string, unknown> = {}): Promise<Told> {
    const { timeout = 60, ...args } = more;
    return told(await owner.act(id, { action: 'run', args: { command, blocking: true, ...args }, timeout }));
  }

  describe.each([
    ['a history that keeps all', {}],
    ['a history that ignores doubles', { HISTCONTROL: 'ignoreboth' }],
  ])('with %s', (_name, env) => {
    test('have their exact output, exit code and directory, however they are made up', async () => {
      const id = await newAgent(`Compound ${Object.keys(env).length}`, env);
      for (const [command, content, exitCode] of compound) {
        const { content: found, exitCode: code } = await run(id, command);
        expect({ command, content: found, exitCode: code }).toEqual({ command, content, exitCode });
      }
      await run(id, 'cd / && cd usr');
      expect(await run(id, 'pwd')).toMatchObject({ content: '/usr', directory: '/usr', exitCode: 0 });
    });
  });

  test('keep their terminal when they call exit, and tell its code', async () => {
    const id = await newAgent('Exits');
    const { content: pid } = await run(id, 'kept=yes; echo $$');
    const ended = await run(id, 'echo before; exit 3; echo never');
    expect(ended).toMatchObject({ exitCode: 3 });
    expect(ended.content).toMatch(/^before\s*$/);
    expect(await run(id, 'echo $$ $kept')).toMatchObject({ content: `${pid} yes`, exitCode: 0 });
  });

  test('that end their shell say so, and the next one gets a new terminal in the same directory', async () => {
    const id = await newAgent('Killed');
    await run(id, 'cd /usr');
    const ended = await run(id, 'kill -9 $$');
    expect(ended.suffix).toMatch(/The terminal ended with this command|unknown/);
    expect(ended.exitCode).not.toBe(0);
    expect(await run(id, 'pwd')).toMatchObject({ content: '/usr', exitCode: 0 });
  });

  test('answer at their time-outs, take input, and are stopped by C-c of the agent', async () => {
    const id = await newAgent('Waits', { NO_CHANGE_TIMEOUT_SECONDS: '2' });
    const waiting = await run(id, 'echo a; read -r line; echo "b $line"; sleep 1000', { blocking: false });
    expect(waiting).toMatchObject({ content: 'a', exitCode: -1 });
    expect(waiting.suffix).toMatch(/has no new output after 2 seconds/);
    const refused = await run(id, 'echo other', { blocking: false });
    expect(refused.suffix).toMatch(/is NOT executed/);
    const further = await run(id, 'typed', { is_input: true, blocking: false });
    expect(further.content).toMatch(/b typed$/);
    const stopped = await run(id, 'C-c', { is_input: true, timeout: 30 });
    expect(stopped.exitCode).toBe(130);
    expect(stopped.suffix).toMatch(/completed with exit code 130\. CTRL\+C was sent/);
    const late = await run(id, 'sleep 1000', { timeout: 1.5 });
    expect(late.suffix).toMatch(/timed out after 1\.5 seconds/);
    await run(id, 'C-c', { is_input: true });
    expect(await run(id, 'echo usable')).toMatchObject({ content: 'usable', exitCode: 0 });
  });

  test("are seen in the agent's tab, where the user can type and press Ctrl-C", async () => {
    const id = await newAgent('Watched');
    const running = run(id, 'read -rp "Your name? " name; echo "hello $name"; sleep 1000');
    const tab = window.terminal('Watched');
    await tab.show();
    await tab.shows(/Your name\? *$/m);
    await tab.type('Grace\n');
    await tab.shows(/^hello Grace$/m);
    await tab.press('Control+C');
    expect(await running).toMatchObject({ exitCode: 130 });
    expect(await run(id, 'echo still here')).toMatchObject({ content: 'still here', exitCode: 0 });
  });

  test('wait while the user runs something in the terminal', async () => {
    const id = await newAgent('Busy');
    await run(id, 'true');
    const tab = window.terminal('Busy');
    await tab.show();
    await tab.type('echo mine; sleep 1000\n');
    await tab.shows(/^mine$/m);
    await expect.poll(async () => (await run(id, 'echo agent')).suffix).toMatch(/is NOT executed/);
    await tab.press('Control+C');
    await expect.poll(async () => (await run(id, 'echo agent')).content).toBe('agent');
  });

  test('print much and quickly without losing a line', async () => {
    const id = await newAgent('Much');
    for (let round = 0; round < 5; round += 1)
      expect(await run(id, `echo quick ${round}`)).toMatchObject({ content: `quick ${round}`, exitCode: 0 });
    const { content } = await run(id, 'seq 3000');
    expect(content.split('\n')).toEqual(Array.from({ length: 3000 }, (_, index) => String(index + 1)));
  });

  test('in a shell of their own for one command end with it', async () => {
    const id = await newAgent('Static');
    const ran = await run(id, 'pwd; x=1', { is_static: true, cwd: '/usr' });
    expect(ran).toMatchObject({ content: '/usr', exitCode: 0 });
    await window.until('the terminal to be gone', (vscode) =>
      vscode.window.terminals.every(({ name }) => !name.includes('static')),
    );
  });
});

describe('commands where VS Code has no shell integration', windowNeeds, () => {
  const windows = useWindows({
    settings: {
      ...profiles,
      'fairlead.terminal.engine': 'shellIntegration',
      'terminal.integrated.shellIntegration.enabled': false,
    },
  });

  test('are typed, and nothing is told that was not observed', async () => {
    const { owner } = await windows.place.start();
    const window = await windows.open();
    await window.connect(owner);
    const { id } = await owner.create({ driver: 'window', labels: { agent: 'Blind' } });
    const ran = told(
      await owner.act(id, { action: 'run', args: { command: 'echo x >made; echo secret' }, timeout: 60 }),
    );
    expect(ran).toMatchObject({ content: '', exitCode: -1 });
    expect(ran.suffix).toMatch(/its exit code are unknown/);
    await expect.poll(() => existsSync(join(window.path, 'made')), { timeout: 30_000 }).toBe(true);
  });
});

describe('a window on a machine without bash', windowNeeds, () => {
  const windows = useWindows({ settings: profiles });

  test('falls back to shell integration, and tells the user and the agent', async () => {
    const { owner } = await windows.place.start();
    const window = await windows.open();
    const programs = join(windows.folder({}), 'bin');
    mkdirSync(programs);
    for (const name of readdirSync('/usr/bin').filter((each) => !/^r?bash$/.test(each)))
      symlinkSync(join('/usr/bin', name), join(programs, name));
    // Before the extension has looked at it.
    await window.evaluate((_vscode, path) => void (process.env['PATH'] = path), programs);
    await window.connect(owner);
    const { id } = await owner.create({ driver: 'window', labels: { agent: 'Poor' } });
    await window.notified(/cannot open a terminal of its own \(bash is not installed\)/);
    const event = (command: string) => ({ action: 'run', args: { command, blocking: true }, timeout: 60 });
    const first = told(await owner.act(id, event('echo works; (exit 4)')));
    expect(first).toMatchObject({ content: 'works', exitCode: 4 });
    expect(first.prefix).toMatch(/shell integration in this window, because bash is not installed/);
    expect(told(await owner.act(id, event('echo again'))).prefix).toBe('');
  });
});

/** What shells report of a command is often only its first part. */
const compound: [command: string, content: string, exitCode: number][] = [
  ['echo a', 'a', 0],
  ['cd /tmp && ls -d .', '.', 0],
  ['echo 1; echo 2', '1\n2', 0],
  ['false | cat', '', 0],
  ['for i in 1 2; do echo "i$i"; done', 'i1\ni2', 0],
  ['(echo hi; false)', 'hi', 1],
  ['# note\necho z', 'z', 0],
  [' echo lead', 'lead', 0],
  ['if true; then\n  echo "it\'s $((1 + 1))"\nfi', "it's 2", 0],
  ["cat <<'END'\none\n\ttwo !!\nEND", 'one\n\ttwo !!', 0],
  ['true && (exit 6)', '', 6],
  ['no-such-program 2>/dev/null', '', 127],
  ['printf "no newline"', 'no newline', 0],
  ['echo é € 😀', 'é € 😀', 0],
  ['cd /tmp && (exit 6)', '', 6],
];

function told({ status, json, text }: { status: number; json: Record<string, unknown>; text: string }): Told {
  const { content, extras } = json as {
    content: string;
    extras?: { metadata?: { exit_code: number; working_dir: string | null; prefix: string; suffix: string } };
  };
  if (status !== 200 || extras?.metadata === undefined) throw new Error(`${status} ${text.slice(0, 500)}`);
  const { exit_code: exitCode, working_dir: directory, prefix, suffix } = extras.metadata;
  return { content, exitCode, directory, prefix, suffix };
}
