import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn, type IPty } from '@lydell/node-pty';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AlternateScreenWatch } from '../../src/shell/render/escape-scan.ts';
import { renderText } from '../../src/shell/render/render-text.ts';
import { Screen } from '../../src/shell/render/screen.ts';

vi.setConfig({ testTimeout: 20_000 });

let directory: string;
const running = new Set<IPty>();
const screens: Screen[] = [];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fairlead-render-'));
  writeFileSync(
    join(directory, 'numbers'),
    Array.from({ length: 200 }, (_, index) => `number ${index}\n`).join(''),
  );
});

afterEach(() => {
  for (const pty of running) pty.kill('SIGKILL');
  running.clear();
  for (const screen of screens.splice(0)) screen.dispose();
});

afterAll(() => rmSync(directory, { recursive: true }));

describe('programs whose output is simple', () => {
  test.each([
    ['printf "one\\ntwo  \\n"', 'one\ntwo  \n'],
    ['for p in 10 55 100; do printf "\\r%3d%% done" $p; done; echo', '100% done\n'],
    ['printf "10 percent\\r"; printf "\\033[Kdone\\n"', 'done\n'],
    ['echo old; clear; echo new', 'new\n'],
    ['echo old; tput clear; echo new', 'new\n'],
    ['tput bold; tput setaf 1; printf red; tput sgr0; tput civis; tput cnorm; echo .', 'red.\n'],
    ['printf "x %s y\\n" number | grep --color=always number', 'x number y\n'],
    ['ls --color=always -d / numbers; printf "a\\tb\\n"', '/  numbers\na\tb\n'],
  ])('%s', async (command, expected) => {
    expect(renderText((await run(command)).bytes)).toBe(expected);
  });

  test('top in batch mode', async () => {
    const { bytes } = await run('top -b -n 1 -w 100');
    expect(renderText(bytes)).toMatch(/load average[^]*\n +PID USER/);
  });
});

describe('programs that need a screen', () => {
  test.each([
    ['cursor up', 'printf "a: 1\\nb: 1\\n"; printf "\\033[2Aa: 2\\n\\033[1Bend\\n"', 'a: 2\nb: 1\nend'],
    ['tput up', 'echo one; tput cuu1; tput el; echo two', 'two'],
    ['saved cursor', 'printf "ab"; tput sc; printf "cd"; tput rc; echo X', 'abXd'],
    [
      'python bars',
      `python3 -c '
import sys
print("first 0"); print("second 0")
for step in range(1, 4):
    sys.stdout.write("\\x1b[2F\\x1b[2Kfirst %d\\n\\x1b[2Ksecond %d\\n" % (step, step))
'`,
      'first 3\nsecond 3',
    ],
  ])('%s', async (_name, command, expected) => {
    const { bytes, screen } = await run(command);
    expect(renderText(bytes)).toBeUndefined();
    expect(screen.text()).toBe(expected);
  });

  test.each([
    ['vim', 'vim -u NONE -i NONE -n numbers', /^number 0\nnumber 1\n[^]*number 22/, ':q!\r'],
    ['less', 'less numbers', /^number 0\nnumber 1\n[^]*numbers/, 'q'],
  ])('%s is the screen while it runs, and gone afterwards', async (_name, command, shown, keys) => {
    let wasAlternate = false;
    const { screen, bytes, entered } = await run(`echo before; ${command}; echo after`, (now, type) => {
      if (wasAlternate || !now.isAlternate || !shown.test(now.text())) return;
      wasAlternate = true;
      type(keys);
    });
    expect(wasAlternate).toBe(true);
    expect(entered).toBe(true);
    expect(renderText(bytes)).toBeUndefined();
    expect(screen.isAlternate).toBe(false);
    expect(screen.text()).toBe('before\nafter');
  });
});

/** A title, which is not shown. */
const endMark = '\x1b]0;the end\x07';

interface Ran {
  bytes: Buffer;
  screen: Screen;
  /** Whether the watch saw the alternate screen. */
  entered: boolean;
}

async function run(
  command: string,
  onScreen?: (screen: Screen, type: (keys: string) => void) => void,
): Promise<Ran> {
  const screen = new Screen({ cols: 80, rows: 24 });
  screens.push(screen);
  const watch = new AlternateScreenWatch();
  const chunks: Buffer[] = [];
  let entered = false;
  // The last output of a program that ends may be lost on a busy machine, so this one waits to be killed.
  const pty = spawn('bash', ['--norc', '-c', `${command}\nprintf '${endMark}'; read -r`], {
    cols: 80,
    rows: 24,
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    encoding: null,
  });
  running.add(pty);
  await new Promise<void>((resolve) => {
    // Without an encoding the data are bytes, which the types do not say.
    pty.onData((data: unknown) => {
      const chunk = data as Buffer;
      chunks.push(chunk);
      entered = watch.feed(chunk);
      void screen.write(chunk).then(() => onScreen?.(screen, (keys) => pty.write(keys)));
      if (Buffer.concat(chunks).includes(endMark)) resolve();
    });
  });
  await screen.write(Buffer.alloc(0));
  const all = Buffer.concat(chunks);
  return { bytes: all.subarray(0, all.indexOf(endMark)), screen, entered };
}
