import type { Case } from './case.ts';
import {
  echoOfCtrlC,
  belowIsPrevious,
  completed,
  keyEnds,
  noNewOutput,
  notExecuted,
  stillRuns,
} from './contract-texts.ts';

/** These run in shells that wait one second for new output. */
export const timeoutCases: Case[] = [
  {
    name: 'a hard time-out, then the rest',
    steps: [
      {
        run: 'echo a; until [ -e go ]; do sleep 0.02; done; echo b',
        timeout: 2,
        blocking: true,
        expect: stillRuns('2.0', 'a'),
      },
      { run: '', timeout: 0.1, expect: stillRuns('0.1', '', belowIsPrevious) },
      { run: 'touch go', static: true },
      { run: '', expect: { content: 'b' } },
      {
        run: '',
        expect: {
          content: 'ERROR: No previous running command to retrieve logs from.',
          exitCode: -1,
          suffix: '',
        },
      },
    ],
  },
  {
    name: 'whole seconds are told as Python tells them',
    steps: [
      { run: 'read x', timeout: 1, blocking: true, expect: stillRuns('1.0', '') },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
    ],
  },
  {
    name: 'a soft time-out, then a second one',
    steps: [
      { run: 'echo a; cat', expect: { content: 'a', exitCode: -1, suffix: noNewOutput(1) } },
      { run: '', expect: { content: '', exitCode: -1, prefix: belowIsPrevious, suffix: noNewOutput(1) } },
      { input: 'C-d', expect: keyEnds('D', 0, '') },
    ],
  },
  {
    name: 'output holds a soft time-out off',
    steps: [
      {
        run: 'for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.2; done',
        expect: { content: '1\n2\n3\n4\n5\n6\n7\n8' },
      },
    ],
  },
  {
    name: 'a blocking command has no soft time-out',
    steps: [{ run: 'sleep 1.2; echo done', blocking: true, timeout: 10, expect: { content: 'done' } }],
  },
  {
    name: 'the hard time-out wins over output',
    steps: [
      {
        run: 'while :; do echo x; sleep 0.05; done',
        timeout: 2,
        expect: { content: /^x(\nx)+$/, exitCode: -1, suffix: /timed out after 2(\.0)? seconds/ },
      },
      { input: 'C-c', expect: { content: /^(x\n)*(\^C)*$/, exitCode: 130, suffix: /CTRL\+C was sent/ } },
    ],
  },
  {
    name: 'a new command is not executed while one runs',
    steps: [
      { run: 'echo a; read line', timeout: 0.3, until: /a/ },
      {
        run: 'touch executed',
        expect: { content: '', exitCode: -1, prefix: belowIsPrevious, suffix: notExecuted('touch executed') },
      },
      {
        run: 'C-c',
        expect: { content: '', exitCode: -1, prefix: belowIsPrevious, suffix: notExecuted('C-c') },
      },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
      { run: 'ls executed 2>/dev/null', expect: { content: '', exitCode: 2 } },
    ],
  },
  {
    name: 'several commands are refused while one runs, too',
    steps: [
      { run: 'sleep 100', timeout: 0.2, expect: stillRuns('0.2', '') },
      { run: 'echo a\necho b', expect: { error: /^ERROR: Cannot execute multiple commands/ } },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
    ],
  },
  {
    name: 'a command that ended unseen does not mix into the next',
    steps: [
      {
        run: 'echo early; until [ -e go ]; do sleep 0.01; done; echo LATE; touch done; (exit 5)',
        timeout: 0.3,
        until: /early/,
      },
      { run: 'touch go; until [ -e done ]; do sleep 0.01; done; sleep 0.6', static: true },
      {
        run: 'echo NEXT',
        expect: {
          content: 'NEXT',
          prefix:
            '[The previous command has completed with exit code 5. The rest of its output:]\nLATE\n[Below is the output of your command.]\n',
        },
      },
    ],
  },
  {
    name: 'a command that ended unseen is told by the empty command',
    steps: [
      {
        run: 'until [ -e go ]; do sleep 0.01; done; echo LATE; (exit 6)',
        timeout: 0.2,
        expect: stillRuns('0.2', ''),
      },
      { run: 'touch go; sleep 0.6', static: true },
      { run: '', expect: { content: 'LATE', exitCode: 6, suffix: completed(6) } },
    ],
  },
  {
    name: 'half a character at the time-out is completed by the next part',
    steps: [
      {
        run: "printf 'a\\303'; until [ -e go ]; do sleep 0.01; done; printf '\\251b'",
        timeout: 2,
        blocking: true,
        expect: stillRuns('2.0', 'a'),
      },
      { run: 'touch go', static: true },
      { run: '', expect: { content: 'éb' } },
    ],
  },
  {
    name: 'half a colour at the time-out is completed by the next part',
    steps: [
      {
        run: "printf 'a\\033[3'; until [ -e go ]; do sleep 0.01; done; printf '1mred\\033[0m'",
        timeout: 2,
        blocking: true,
        expect: stillRuns('2.0', 'a'),
      },
      { run: 'touch go', static: true },
      { run: '', expect: { content: 'red' } },
    ],
  },
];
