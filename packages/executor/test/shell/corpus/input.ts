import type { Case } from './case.ts';
import {
  belowIsPrevious,
  keyEnds,
  nothingToInteractWith,
  nothingToRetrieve,
  severalCommands,
  stillRuns,
} from './contract-texts.ts';

export const inputCases: Case[] = [
  {
    name: 'read with a prompt',
    steps: [
      { run: 'read -p "name: " n; echo "got $n"', timeout: 0.3, until: /name: $/ },
      { input: 'Bob', expect: { content: 'Bob\ngot Bob' } },
    ],
  },
  {
    name: 'read -s shows nothing of a password',
    steps: [
      { run: 'read -rs -p "Password: " p; echo; echo "${#p}"', timeout: 0.3, until: /Password: $/ },
      { input: 's3cret pass', expect: { content: '\n11' } },
    ],
  },
  {
    name: 'blanks of the input count',
    steps: [
      { run: 'IFS= read -r x; echo "[$x]"', timeout: 0.3, expect: stillRuns('0.3', '') },
      { input: '  a  b ', expect: { content: '  a  b \n[  a  b ]' } },
    ],
  },
  {
    name: 'cat repeats until the end of file',
    steps: [
      { run: 'cat', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'héllo 世界', timeout: 0.2, until: /世界\nhéllo 世界/ },
      { input: 'C-d', expect: keyEnds('D', 0, '') },
    ],
  },
  {
    name: 'several lines of input',
    steps: [
      { run: 'read a; read b; echo "$b-$a"', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'one\ntwo', expect: { content: /two-one$/ } },
    ],
  },
  {
    name: 'input that looks like several commands is input',
    steps: [
      { run: 'PS1=% bash --norc', timeout: 0.3, until: /%$/ },
      { input: 'echo first\necho second', timeout: 0.3, until: /\nsecond/ },
      { input: 'exit 3', expect: { exitCode: 3, content: /exit 3/ } },
    ],
  },
  {
    name: 'a line longer than the terminal takes at once',
    steps: [
      {
        run: 'stty -icanon -echo; head -c 20000 | wc -c; stty icanon echo',
        timeout: 0.3,
        expect: stillRuns('0.3', ''),
      },
      { input: 'x'.repeat(20_000), expect: { content: '20000', prefix: '' } },
      { run: '', expect: { content: nothingToRetrieve, exitCode: -1, suffix: '' } },
    ],
  },
  {
    name: 'python asks',
    tags: ['python3'],
    steps: [
      { run: `python3 -c 'print("hi " + input("who? "))'`, timeout: 0.5, until: /who\? $/ },
      { input: 'Zoë', expect: { content: 'Zoë\nhi Zoë' } },
    ],
  },
  {
    name: 'python asks for a password',
    tags: ['python3'],
    steps: [
      {
        run: `python3 -c 'import getpass; print(len(getpass.getpass("pw: ")))'`,
        timeout: 0.5,
        until: /pw: $/,
      },
      { input: 'hidden', expect: { content: '\n6' } },
    ],
  },
  {
    name: 'a python session',
    tags: ['python3'],
    steps: [
      { run: 'PYTHON_BASIC_REPL=1 python3 -q', timeout: 0.5, until: />>> $/ },
      { input: 'x = 6 * 7', timeout: 0.3, until: />>> $/ },
      { input: 'print(f"x={x}")', timeout: 0.3, until: /x=42\n>>> $/ },
      { input: 'import sys; sys.exit(4)', expect: { exitCode: 4, content: /sys\.exit\(4\)$/ } },
    ],
  },
  {
    name: 'a nested interactive bash',
    steps: [
      { run: 'echo $BASHPID >outer; PS1="inner> " bash --norc -i', timeout: 0.3, until: /inner> $/ },
      { input: 'echo "$((6*7))"; [ $$ != "$(cat outer)" ] && echo other', timeout: 0.3, until: /42\nother/ },
      { input: 'exit 5', expect: { exitCode: 5, content: /exit 5/ } },
    ],
  },
  {
    name: 'a nested bash with our own prompt in its environment',
    steps: [
      { run: 'export PS1; bash --norc -i', timeout: 0.4, until: /\$ |# $/ },
      { input: 'echo nes""ted', timeout: 0.3, until: /nested/ },
      { input: 'C-d', expect: { exitCode: 0, suffix: /CTRL\+D was sent/ } },
    ],
  },
  {
    name: 'a login with name and password',
    steps: [
      {
        run: 'read -p "login: " u; read -sp "Password: " p; echo; if [ "$u:$p" = "ann:pw" ]; then read -p "remote$ " c; eval "$c"; else exit 1; fi; echo "closed"',
        timeout: 0.3,
        until: /login: $/,
      },
      { input: 'ann', timeout: 0.3, until: /Password: $/ },
      { input: 'pw', timeout: 0.3, until: /remote\$ $/ },
      {
        input: 'echo on the other side',
        expect: { content: 'echo on the other side\non the other side\nclosed' },
      },
    ],
  },
  {
    name: 'yes or no',
    steps: [
      {
        run: 'read -n1 -p "Continue? [y/N] " a; echo; [ "$a" = y ] && echo going',
        timeout: 0.3,
        until: /\[y\/N\] $/,
      },
      { input: 'y', expect: { content: /^y\n+going$/ } },
    ],
  },
  {
    name: 'an empty line is not sent by the empty command',
    steps: [
      { run: 'read x; echo "read [$x]"', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: '', timeout: 0.2, expect: stillRuns('0.2', '', belowIsPrevious) },
      { input: 'C-m', expect: { content: /read \[\]$/, suffix: /CTRL\+M was sent/ } },
    ],
  },
  {
    name: 'nothing runs: the empty command',
    steps: [{ run: '', expect: { content: nothingToRetrieve, exitCode: -1, suffix: '' } }],
  },
  {
    name: 'nothing runs: blanks are an empty command',
    steps: [{ run: ' \n ', expect: { content: nothingToRetrieve, exitCode: -1, suffix: '' } }],
  },
  {
    name: 'nothing runs: empty input is an empty command',
    steps: [{ input: '', expect: { content: nothingToRetrieve, exitCode: -1, suffix: '' } }],
  },
  {
    name: 'nothing runs: input',
    steps: [
      { input: 'y', expect: { content: nothingToInteractWith, exitCode: -1, suffix: '' } },
      { input: 'C-c', expect: { content: nothingToInteractWith, exitCode: -1, suffix: '' } },
    ],
  },
  {
    name: 'several commands are refused, and none is run',
    steps: [
      { run: 'touch one\ntouch two', expect: { error: severalCommands('touch one', 'touch two') } },
      { run: 'ls', expect: { content: '' } },
      {
        run: 'echo a && echo b\nfor i in 1; do\necho $i\ndone',
        expect: { error: severalCommands('echo a && echo b', 'for i in 1; do\necho $i\ndone') },
      },
    ],
  },
  {
    name: 'a hidden command that is refused gets a run observation',
    steps: [
      {
        run: 'echo a\necho b',
        hidden: true,
        expect: { content: severalCommands('echo a', 'echo b'), exitCode: -1, suffix: '' },
      },
    ],
  },
  {
    name: 'a NUL in the command',
    steps: [{ run: 'echo a\0b', expect: { error: /NUL character/ } }],
  },
];
