import type { Case } from './case.ts';
import { keyEnds, stillRuns } from './contract-texts.ts';

const probe = { run: 'echo still; (exit 7)', expect: { content: 'still', exitCode: 7 } };

/** What programs do to the terminal, and what a person would see of it. */
export const terminalCases: Case[] = [
  { name: 'stty -echo', steps: [{ run: 'stty -echo' }, probe, { run: 'stty echo' }] },
  { name: 'stty raw', steps: [{ run: 'stty raw' }, { run: 'true' }, { run: 'stty sane' }, probe] },
  {
    name: 'stty raw -echo',
    steps: [
      { run: 'stty raw -echo' },
      { run: '(exit 5)', expect: { content: '', exitCode: 5 } },
      { run: 'stty sane' },
      probe,
    ],
  },
  {
    name: 'stty -onlcr',
    steps: [
      { run: 'stty -onlcr' },
      { run: 'printf "a\\r\\nb\\r\\n"', expect: { content: 'a\nb' } },
      { run: 'stty onlcr' },
      probe,
    ],
  },
  { name: 'stty tostop', steps: [{ run: 'stty tostop' }, probe, { run: 'stty -tostop' }, probe] },
  { name: 'stty -isig', steps: [{ run: 'stty -isig' }, probe, { run: 'stty isig' }] },
  {
    name: 'stty -icanon',
    steps: [{ run: 'stty -echo -icanon min 0 time 0' }, probe, { run: 'stty sane' }, probe],
  },
  { name: 'stty size is set', steps: [{ run: 'stty size', expect: { content: '50 500' } }] },
  { name: 'clear', steps: [{ run: 'echo before; clear; echo after', expect: { content: /after$/ } }, probe] },
  { name: 'reset', steps: [{ run: 'reset; echo after', expect: { content: /after$/ } }, probe] },
  {
    name: 'tput',
    steps: [{ run: 'tput bold; echo bold; tput sgr0; tput cols', expect: { content: 'bold\n500' } }],
  },
  {
    name: 'script',
    steps: [
      { run: 'script -qc "echo inside; exit 3" /dev/null; echo $?', expect: { content: 'inside\n0' } },
      probe,
    ],
  },
  {
    name: 'script -e keeps the exit code',
    steps: [{ run: 'script -qec "echo inside; exit 3" log.txt', expect: { content: 'inside', exitCode: 3 } }],
  },
  {
    name: 'a recorded session of an interactive shell printed again',
    steps: [
      {
        run: 'script -qc "bash -i -c \\"echo recorded\\"" typescript >/dev/null; grep -c recorded typescript',
        expect: { content: /^\d+$/ },
      },
      { run: 'cat typescript', expect: { content: /recorded/ } },
      probe,
    ],
  },
  {
    name: 'colours',
    steps: [
      { run: `printf '\\e[1;31mred\\e[0m \\e[38;5;200mpink\\e[m\\n'`, expect: { content: 'red pink' } },
    ],
  },
  {
    name: 'a progress bar shows its last state',
    steps: [
      {
        run: `for i in 10 50 100; do printf '\\rprogress %3d%%' $i; done; echo`,
        expect: { content: 'progress 100%' },
      },
    ],
  },
  {
    name: 'a shorter line over a longer one',
    steps: [{ run: `printf 'long line\\rab\\n'`, expect: { content: 'abng line' } }],
  },
  { name: 'a line erased', steps: [{ run: `printf 'gone\\r\\e[Kkept\\n'`, expect: { content: 'kept' } }] },
  { name: 'backspaces', steps: [{ run: `printf 'abd\\bc\\n'`, expect: { content: 'abc' } }] },
  {
    name: 'a spinner',
    steps: [
      { run: `for c in '|' / - +; do printf '%s\\b' "$c"; done; echo ' done'`, expect: { content: ' done' } },
    ],
  },
  {
    name: 'cursor up and a line rewritten',
    steps: [{ run: `printf 'one\\ntwo\\n\\e[2A\\e[2KONE\\n\\n'`, expect: { content: 'ONE\ntwo' } }],
  },
  { name: 'bell', steps: [{ run: `printf 'ding\\a\\n'`, expect: { content: 'ding' } }] },
  {
    name: 'a vertical tab and a form feed',
    steps: [{ run: `printf 'a\\n\\fb\\n'`, expect: { content: /a[^]*b/ } }],
  },
  {
    name: 'wide characters and carriage returns',
    steps: [{ run: `printf '世界\\rab\\n'`, expect: { content: 'ab界' } }],
  },
  {
    name: 'a line wider than the terminal',
    steps: [{ run: 'printf "%0450d\\n" 5; echo end', expect: { content: /^0{449}5\nend$/ } }],
  },
  {
    name: 'columns: ls in a terminal',
    steps: [{ run: 'touch a b c; ls', expect: { content: /^a +b +c$/ } }],
  },
  {
    name: 'a program can ask whether it is in a terminal',
    steps: [{ run: '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty', expect: { content: /^\/dev\/pts\/\d+$/ } }],
  },
  {
    name: 'less shows a screen and quits',
    tags: ['less'],
    steps: [
      { run: 'seq 500 | LESS= less', timeout: 0.5, until: /1\n2\n3\n[^]*\n49\n:/ },
      { input: 'G', timeout: 0.4, until: /500\n\(END\)/ },
      { input: 'q' },
      probe,
    ],
  },
  {
    name: 'vim is driven by keys',
    tags: ['vim'],
    steps: [
      { run: 'vim -u NONE -N note.txt', timeout: 0.5, until: /~\n~\n[^]*note\.txt/ },
      { input: 'ihello vim\x1b', timeout: 0.4, until: /hello vim/ },
      { input: ':wq', timeout: 5 },
      { run: 'cat note.txt', expect: { content: 'hello vim' } },
      probe,
    ],
  },
  {
    name: 'htop shows a screen and quits',
    tags: ['htop'],
    steps: [
      { run: 'htop', timeout: 0.5, until: /Tasks/ },
      { input: 'C-c', timeout: 5, expect: { suffix: /CTRL\+C was sent/ } },
      probe,
    ],
  },
  {
    name: 'top shows a screen and quits',
    tags: ['ps'],
    steps: [
      { run: 'top -d 60', timeout: 0.5, until: /Tasks:/ },
      { input: 'C-c', timeout: 5, expect: { suffix: /CTRL\+C was sent/ } },
      probe,
    ],
  },
  {
    name: 'an alternate screen that is never left',
    steps: [{ run: `printf '\\e[?1049hinside\\n'`, expect: { content: /inside/ } }, probe, probe],
  },
  {
    name: 'a program killed in the alternate screen',
    tags: ['less'],
    steps: [
      { run: `seq 500 >n; sh -c 'echo $$ >pid; exec less n'`, timeout: 0.5, until: /1\n2\n3/ },
      { run: 'kill -9 "$(cat pid)"', static: true },
      { run: '', expect: { exitCode: 137, content: /Killed/ } },
      probe,
    ],
  },
  {
    name: 'mouse and paste modes left on',
    steps: [{ run: `printf '\\e[?1000h\\e[?2004h\\e[?1h\\e='` }, probe, probe],
  },
  {
    name: 'C-s and C-q',
    steps: [
      { run: 'cat', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'C-s', timeout: 0.1, expect: { exitCode: -1, prefix: /^/, suffix: /timed out/ } },
      { input: 'C-q', timeout: 0.1, expect: { exitCode: -1, prefix: /^/, suffix: /timed out/ } },
      { input: 'C-d', expect: keyEnds('D', 0, '') },
    ],
  },
];
