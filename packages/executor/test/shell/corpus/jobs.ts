import type { Case } from './case.ts';
import { echoOfCtrlC } from './contract-texts.ts';

export const jobCases: Case[] = [
  {
    name: 'a background job does not hold the answer',
    steps: [{ run: 'sleep 30 &', timeout: 5, expect: { content: /^\[1\] \d+$/ } }],
  },
  {
    name: 'the output of a job is told apart from the next command',
    steps: [
      {
        run: '(until [ -e go ]; do sleep 0.01; done; echo from the job; touch done) &',
        expect: { content: /^\[1\] \d+$/ },
      },
      { run: 'touch go; until [ -e done ]; do sleep 0.01; done; sleep 0.3', static: true },
      {
        run: 'echo mine',
        expect: {
          content: /^mine(\n\[1\]\+ {2}Done [^\n]*(\n[^\n]*)?)?$/,
          prefix:
            '[Output of background jobs since the last command:]\nfrom the job\n[Below is the output of your command.]\n',
        },
      },
    ],
  },
  {
    name: 'a job that prints while a command runs',
    steps: [
      {
        run: '(echo job; touch done) & until [ -e done ]; do sleep 0.01; done; echo main',
        expect: { content: /^\[1\] \d+\njob\n(\[1\]\+ {2}Done[^\n]*\n)?main/ },
      },
    ],
  },
  {
    name: 'nohup',
    steps: [
      { run: 'nohup sh -c "sleep 30" >/dev/null 2>&1 &', timeout: 5, expect: { content: /^\[1\] \d+$/ } },
    ],
  },
  { name: 'setsid', steps: [{ run: 'setsid sleep 30; echo next', timeout: 5, expect: { content: 'next' } }] },
  {
    name: 'setsid in the background',
    steps: [{ run: 'setsid -f sleep 30', timeout: 5, expect: { content: '' } }],
  },
  {
    name: 'disown',
    steps: [
      { run: 'sleep 30 & disown', timeout: 5, expect: { content: /^\[1\] \d+$/ } },
      { run: 'jobs', expect: { content: '' } },
    ],
  },
  {
    name: 'a daemon by double fork',
    steps: [{ run: '(sleep 30 &) ; echo back', timeout: 5, expect: { content: 'back' } }],
  },
  {
    name: 'a job that keeps the terminal open for writing',
    steps: [
      {
        run: '(until [ -e go ]; do sleep 0.02; done; echo late) & true',
        timeout: 5,
        expect: { content: /^\[1\] \d+$/ },
      },
      { run: 'touch go; wait; echo waited', expect: { content: /late\n[^]*waited/ } },
    ],
  },
  {
    name: 'a job that wants to read stops',
    steps: [
      { run: 'cat &', expect: { content: /^\[1\] \d+$/ } },
      {
        run: 'until [[ $(jobs) == *Stopped* ]]; do sleep 0.02; done; jobs',
        expect: { content: /Stopped.*cat/ },
      },
      { run: 'kill -9 %1; wait %1 2>/dev/null; true', expect: { exitCode: 0 } },
    ],
  },
  {
    name: 'jobs and their numbers',
    steps: [
      { run: 'sleep 30 & sleep 31 &', expect: { content: /^\[1\] \d+\n\[2\] \d+$/ } },
      { run: 'jobs | wc -l', expect: { content: '2' } },
      { run: 'kill %1 %2; wait; true', expect: { exitCode: 0 } },
    ],
  },
  {
    name: 'a job killed is told by bash',
    steps: [{ run: 'sleep 30 & p=$!; kill -9 $p; wait $p; echo $?', expect: { content: /137/ } }],
  },
  {
    name: 'a pipeline in the foreground with a job behind it',
    steps: [
      {
        run: 'yes >/dev/null & echo x | cat; kill $!; wait $! 2>/dev/null; echo done',
        expect: { content: /x\n[^]*done/ },
      },
    ],
  },
  {
    name: 'a command stopped by itself',
    steps: [
      { run: 'sh -c "kill -STOP \\$\\$; echo woke"', expect: { exitCode: 147, content: /Stopped/ } },
      { run: 'fg', expect: { content: /woke$/ } },
    ],
  },
  {
    name: 'coproc goes on',
    steps: [
      { run: 'coproc CAT { cat; }', expect: { content: /^\[1\] \d+$/ } },
      {
        run: 'echo ping >&"${CAT[1]}"; read -r pong <&"${CAT[0]}"; echo "$pong"',
        expect: { content: 'ping' },
      },
      { run: 'kill $CAT_PID; wait 2>/dev/null; true' },
    ],
  },
  {
    name: 'wait can be interrupted',
    steps: [
      { run: 'sleep 30 & wait', timeout: 0.3, until: /^\[1\] \d+$/ },
      { input: 'C-c', expect: { exitCode: 130, content: echoOfCtrlC, suffix: /CTRL\+C/ } },
    ],
  },
];
