import type { Case } from './case.ts';
import { shellEnded, stillRuns } from './contract-texts.ts';

/** Commands that end the shell: reported with their real code, and a new shell goes on. */
export const shellEndCases: Case[] = [
  {
    name: 'exit with a code keeps directory and exported variables',
    steps: [
      {
        run: 'export KEPT="a  b\nc"; lost=1; cd /usr; echo bye; exit 3',
        expect: { content: 'bye', exitCode: 3, suffix: shellEnded(3, '/usr'), cwd: '/usr' },
      },
      { run: 'echo "$KEPT[${lost-}]"; pwd', expect: { content: 'a  b\nc[]\n/usr', cwd: '/usr' } },
    ],
  },
  {
    name: 'exit without a code has that of the last command',
    steps: [
      { run: 'cd /; (exit 9)', expect: { exitCode: 9 } },
      { run: 'exit', expect: { content: '', exitCode: 9, suffix: shellEnded(9, '/') } },
    ],
  },
  {
    name: 'exit 0',
    steps: [{ run: 'cd /; exit 0', expect: { content: '', exitCode: 0, suffix: shellEnded(0, '/') } }],
  },
  {
    name: 'logout is not for this shell',
    steps: [{ run: 'logout', expect: { content: /^bash: logout: not login shell/, exitCode: 1 } }],
  },
  {
    name: 'what the command prints is told, a word `exit` of its own included',
    steps: [
      {
        run: 'cd /; echo exit; exit 1',
        expect: { content: 'exit', exitCode: 1, suffix: shellEnded(1, '/') },
      },
    ],
  },
  {
    name: 'exit in a function',
    steps: [
      {
        run: 'cd /; f() { echo in f; exit 5; }; f; echo not',
        expect: { content: 'in f', exitCode: 5, suffix: shellEnded(5, '/') },
      },
    ],
  },
  {
    name: 'exit in a subshell ends nothing',
    steps: [{ run: '(exit 3); echo $?', expect: { content: '3' } }],
  },
  {
    name: 'set -e where there is no python to look for',
    steps: [
      { run: 'set -e; PATH=/nowhere; hash -r' },
      { run: 'echo fine', expect: { content: 'fine' } },
      { run: 'PATH=/usr/local/bin:/usr/bin:/bin' },
    ],
  },
  {
    name: 'set -e and a failing command',
    steps: [
      { run: 'cd /; set -e' },
      { run: 'echo fine', expect: { content: 'fine' } },
      { run: 'false || true; echo still', expect: { content: 'still' } },
      {
        run: 'echo before; ls /no-such-place; echo after',
        expect: {
          content: /^before\nls: .*No such file or directory$/,
          exitCode: 2,
          suffix: shellEnded(2, '/'),
        },
      },
      { run: 'false; echo survived', expect: { content: 'survived' } },
    ],
  },
  {
    name: 'kill -9 $$',
    steps: [
      { run: 'export SAVED=1; cd /usr' },
      { run: 'kill -9 $$', expect: { exitCode: 137, suffix: shellEnded(137, '/usr') } },
      { run: 'echo "$SAVED"; pwd', expect: { content: '1\n/usr' } },
    ],
  },
  {
    name: 'kill -TERM $$ is ignored by an interactive bash',
    steps: [{ run: 'kill -TERM $$; echo here', expect: { content: 'here' } }],
  },
  {
    name: 'kill -HUP $$',
    steps: [{ run: 'cd /; kill -HUP $$; sleep 1', expect: { exitCode: 129, suffix: shellEnded(129, '/') } }],
  },
  {
    name: 'kill -ABRT $$',
    steps: [
      { run: 'cd /; ulimit -c 0; kill -ABRT $$', expect: { exitCode: 134, suffix: shellEnded(134, '/') } },
    ],
  },
  {
    name: 'exec a program',
    steps: [
      { run: 'cd /' },
      {
        run: 'exec sh -c "echo replaced; exit 6"',
        expect: { content: 'replaced', exitCode: 6, suffix: shellEnded(6, '/') },
      },
    ],
  },
  {
    name: 'exec of what does not exist',
    steps: [
      {
        run: 'exec /no/such/program',
        expect: { content: /No such file or directory/, exitCode: 127, suffix: /exit code 127/ },
      },
      { run: 'echo here', expect: { content: 'here' } },
    ],
  },
  {
    name: 'exec bash goes on in the same place',
    steps: [
      { run: 'export OVER=1; cd /usr; exec bash', expect: { content: '', exitCode: 0 } },
      { run: 'echo $OVER; pwd; (exit 3)', expect: { content: '1\n/usr', exitCode: 3 } },
      { run: 'exec bash', expect: { content: '' } },
      { run: 'echo $?', expect: { content: '0' } },
    ],
  },
  {
    name: 'exec bash -l',
    steps: [
      { run: 'exec bash -l', expect: { exitCode: 0 } },
      { run: 'shopt -q login_shell && echo login; (exit 3)', expect: { content: 'login', exitCode: 3 } },
    ],
  },
  {
    name: 'exec with redirections only',
    steps: [
      { run: 'exec >out.txt 2>&1' },
      { run: 'echo hidden; (exit 4)', expect: { content: '', exitCode: 4 } },
      { run: 'exec >/dev/tty 2>&1; grep -o hidden out.txt', expect: { content: 'hidden' } },
      // The file has the prompts in it, reports of old commands included.
      { run: 'cat out.txt; (exit 5)', expect: { content: /hidden/, exitCode: 5 } },
    ],
  },
  {
    name: 'standard input closed or taken away',
    steps: [
      { run: 'exec </dev/null', expect: { exitCode: 0, suffix: /^/, prefix: /^/ } },
      { run: 'echo usable', expect: { content: 'usable', prefix: /^/ } },
    ],
  },
  {
    name: 'exit while jobs run asks nobody',
    steps: [
      { run: 'cd /; sleep 30 &', expect: { content: /^\[1\]/ } },
      { run: 'exit 2', expect: { exitCode: 2, suffix: shellEnded(2, '/') } },
    ],
  },
  {
    name: 'exit while a job is stopped',
    steps: [
      { run: 'cd /; sleep 30', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'C-z', expect: { exitCode: 148, suffix: /CTRL\+Z/ } },
      { run: 'exit 2', expect: { exitCode: 1, content: /There are stopped jobs/ } },
      { run: 'kill -9 %1; wait %1 2>/dev/null; sleep 0.05; true' },
      { run: 'exit 2', expect: { exitCode: 2, suffix: shellEnded(2, '/') } },
    ],
  },
  {
    name: 'C-d to a read is no end of the shell',
    steps: [
      { run: 'read x; echo "status $?"', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'C-d', expect: { content: 'status 1', suffix: /CTRL\+D/ } },
    ],
  },
  {
    name: 'trap EXIT of the user is run',
    steps: [
      { run: 'cd /' },
      {
        run: 'trap "echo bye" EXIT; exit 4',
        expect: { content: /bye$/, exitCode: 4, suffix: shellEnded(4, '/') },
      },
    ],
  },
  {
    name: 'output up to the last byte before the end',
    steps: [
      {
        run: 'cd /; seq 5000; exit 1',
        expect: { content: /^1\n2\n[^]*\n4999\n5000$/, exitCode: 1, suffix: shellEnded(1, '/') },
      },
    ],
  },
  {
    name: 'TMOUT ends no session',
    steps: [{ run: 'TMOUT=1; export TMOUT' }, { run: 'sleep 1.3; echo on', expect: { content: 'on' } }],
  },
];
