import { spawn as spawnPty } from '@lydell/node-pty';
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  commandLine,
  endHeard,
  lineVariables,
  shellKindOf,
} from '../../src/terminal/integration/command-line.ts';

const commands = [
  ['a plain word', 'echo hello'],
  ['quotes of all kinds', `echo 'it'"'"'s' "a $HOME \\" b" \`echo c\``],
  ['several lines', 'echo one\necho two'],
  ['a here-document', "cat <<'END'\n$HOME\t'x'\n\\n!!\nEND"],
  ['tabs and exclamation marks', 'printf "%s|" "a\tb" \'!x\' "c!"'],
  ['backslashes', String.raw`printf '%s\n' 'a\tb\\c' "d\\e"`],
  ['backslashes in several lines', `printf '%s|' 'a\\tb\\\\c'\nprintf '%s|' "d\\\\e"`],
  ['characters of every kind', 'echo "é € 😀"\necho ☃'],
  ['a list', 'cd / && pwd; false || echo no'],
  [
    'a group, a loop and a sub-shell',
    '{ echo a; for i in 1 2; do echo $i; done; (echo b; exit 3); }; echo $?',
  ],
  ['a comment', '# note\necho z'],
  ['its exit code', 'echo a; (exit 6)'],
  ['a backslash at its end', 'echo a \\\n'],
  ['exit in a sub-shell only', 'x=$(echo in; exit 4); echo "$x $?"; (exit 5); echo $?; (exit 7)'],
] as const;

describe('the one line that a command is submitted as', () => {
  test.each(commands)('does in bash what the command does: %s', (_name, command) => {
    const line = commandLine('posix', command);
    expect(line).not.toMatch(/\p{Cc}/u);
    const options = {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: '/home/x', ...lineVariables },
    } as const;
    const expected = spawnSync('bash', ['-c', command], options);
    const { stdout, status } = spawnSync('bash', ['-c', line], options);
    expect({ stdout, status }).toEqual({ stdout: expected.stdout, status: expected.status });
  });

  test('does the same at an interactive prompt, with its history and its keys', async () => {
    const shown = await atPrompt([
      ...commands.slice(0, 8).map(([, command]) => commandLine('posix', command)),
      'echo [end]',
    ]);
    for (const text of [
      'hello',
      "it's",
      'one\r\ntwo',
      "$HOME\t'x'\r\n\\n!!",
      'a\tb|!x|c!|',
      'a\\tb\\\\c',
      'd\\e',
      'é € 😀\r\n☃',
    ])
      expect(shown).toContain(text);
  });

  test('exit ends the command with its code, and not the shell', async () => {
    const shown = await atPrompt([
      commandLine('posix', 'echo before; exit 3; echo never'),
      'echo "code [$?]"',
      commandLine('posix', 'f() { (exit 9) || exit; }; f; echo never'),
      commandLine('posix', 'echo exit'),
      'echo "still [$$]"; type exit',
      'echo [end]',
    ]);
    expect(shown).toContain('before\r\n\x1b]697;end;3\x07');
    expect(shown).toContain('\x1b]697;end;9\x07');
    expect(shown).not.toMatch(/^never/m);
    expect(shown).toMatch(/still \[\d+\]\r\nexit is a (special )?shell builtin/);
  });

  test('has nothing in its variables that VS Code replaces', () => {
    expect(Object.values(lineVariables).join('')).not.toMatch(
      /\$\$|\$\{(env|config|command|input|workspace)/,
    );
  });

  test.each([
    ['fish', "echo 'it''s'\n\techo \\", "eval 'echo \\'it\\'\\'s\\''\\x0a''\\x09'echo \\\\'"],
    ['powershell', "echo 'it'", "Invoke-Expression 'echo ''it'''"],
    ['powershell', 'echo a\necho $b', "Invoke-Expression ('echo a'+[char]10+'echo $b')"],
    ['other', 'dir', 'dir'],
  ] as const)('for %s it is in its own quotes', (kind, command, line) => {
    expect(commandLine(kind, command)).toBe(line);
  });

  test.each([
    ['/bin/bash', 'posix'],
    ['/usr/bin/zsh', 'posix'],
    ['/opt/homebrew/bin/fish', 'fish'],
    ['C:\\Program Files\\PowerShell\\7\\pwsh.exe', 'powershell'],
    ['C:\\Windows\\System32\\cmd.exe', 'other'],
    ['', 'other'],
  ])('the shell %s is of the kind %s', (path, kind) => {
    expect(shellKindOf(path)).toBe(kind);
  });
});

/** What an interactive bash shows for lines that are typed one after another, up to `[end]`. */
async function atPrompt(lines: string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/home/x',
    PS1: 'ready> ',
    HISTCONTROL: 'ignoreboth',
    ...lineVariables,
    TERM: 'xterm',
  };
  const pty = spawnPty('bash', ['--norc', '--noprofile', '-i'], { cols: 2000, rows: 50, env });
  let shown = '';
  let heard = 0;
  const ended = Promise.withResolvers<void>();
  const left = [...lines];
  pty.onData((data) => {
    shown += data;
    const found = shown.split('\x1b]697;end;').length - 1;
    for (; heard < found; heard += 1) pty.write(endHeard);
    if (/^\[end\]/m.test(shown)) ended.resolve();
    else if (shown.endsWith('ready> ')) {
      const line = left.shift();
      if (line !== undefined) pty.write(`${line}\r`);
    }
  });
  try {
    await ended.promise;
    return shown;
  } finally {
    pty.kill('SIGKILL');
  }
}
