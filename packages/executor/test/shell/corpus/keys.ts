import type { Case } from './case.ts';
import { echoOfCtrlC, keyEnds, nothingToInteractWith, stillRuns } from './contract-texts.ts';

/** A program that says when it has the terminal: a key before that would be lost on the shell. */
const sleeper = `sh -c 'echo up; exec sleep 50'`;
const stopped = `\\[1\\]\\+ {2}Stopped {17}${sleeper}`;

export const keyCases: Case[] = [
  {
    name: 'C-c ends a sleep',
    steps: [
      { run: 'sleep 100', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
      { run: 'echo $?', expect: { content: '130' } },
    ],
  },
  { name: 'C-c with nothing running', steps: [{ run: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) }] },
  {
    name: 'C-c with nothing running, again and again',
    steps: [
      { run: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
      { run: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
      { run: 'echo $?', expect: { content: '130' } },
      { run: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
    ],
  },
  {
    name: 'C-c ends a list of commands as a whole',
    steps: [
      { run: 'echo a; sleep 100; echo b', timeout: 0.3, until: /a/ },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
    ],
  },
  {
    name: 'C-c in a loop of the shell itself',
    steps: [
      { run: 'while :; do :; done', timeout: 0.3, expect: stillRuns('0.3', '') },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
    ],
  },
  {
    name: 'C-c is handled by a trap, and the command goes on',
    steps: [
      {
        run: `bash -c 'trap "echo caught" INT; echo set; for i in $(seq 500); do sleep 0.02; [ -e go ] && exit 3; done'`,
        timeout: 0.3,
        until: /set/,
      },
      { input: 'C-c', timeout: 0.5, until: /caught/ },
      { run: 'touch go', static: true },
      { run: '', expect: { exitCode: 3 } },
    ],
  },
  {
    name: 'C-c while the shell itself has a trap',
    steps: [
      { run: 'trap "echo caught" INT; sleep 100', timeout: 0.3, expect: stillRuns('0.3', '') },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
      { run: 'trap - INT' },
    ],
  },
  {
    name: 'C-d ends a cat',
    steps: [
      { run: 'cat; echo "end $?"', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'C-d', expect: keyEnds('D', 0, 'end 0') },
    ],
  },
  {
    name: 'C-z stops, fg goes on',
    steps: [
      { run: sleeper, timeout: 0.2, until: /^up/ },
      // The kernel may throw the echo of the key away with what it flushes for it.
      { input: 'C-z', expect: keyEnds('Z', 148, new RegExp(`^(\\^Z)?\\n${stopped}$`)) },
      { run: 'jobs', expect: { content: new RegExp(`^${stopped}$`) } },
      { run: 'fg', timeout: 0.3, until: new RegExp(`^${sleeper}$`) },
      { input: 'C-c', expect: keyEnds('C', 130, echoOfCtrlC) },
    ],
  },
  {
    name: 'C-z stops, bg goes on behind',
    steps: [
      { run: sleeper, timeout: 0.2, until: /^up/ },
      { input: 'C-z', expect: keyEnds('Z', 148, /Stopped/) },
      { run: 'bg', expect: { content: `[1]+ ${sleeper} &` } },
      { run: 'jobs', expect: { content: /Running/ } },
      { run: 'kill %1; wait; echo done', expect: { content: /done/ } },
    ],
  },
  {
    name: 'C-z stops a list of commands',
    steps: [
      { run: `${sleeper}; echo after`, timeout: 0.2, until: /^up/ },
      { input: 'C-z', expect: { content: /Stopped/, exitCode: 0, suffix: /CTRL\+Z was sent/ } },
      { run: 'kill -9 %1; wait %1 2>/dev/null; true' },
    ],
  },
  {
    name: 'C-\\ quits',
    steps: [
      { run: `ulimit -c 0; ${sleeper}`, timeout: 0.2, until: /^up/ },
      { input: 'C-\\', expect: keyEnds('\\', 131, /^(\^\\)?Quit/) },
    ],
  },
  {
    name: 'other keys with nothing running',
    steps: [
      { run: 'C-z', expect: { content: nothingToInteractWith, exitCode: -1, suffix: '' } },
      { run: 'C-d', expect: { content: nothingToInteractWith, exitCode: -1, suffix: '' } },
    ],
  },
  {
    name: 'C-cc is an ordinary command',
    steps: [{ run: 'C-cc', expect: { content: 'bash: C-cc: command not found', exitCode: 127 } }],
  },
  {
    name: 'lower and upper case are one key',
    steps: [
      { run: 'sleep 100', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: 'C-C', expect: keyEnds('C', 130, echoOfCtrlC) },
    ],
  },
  {
    name: 'a server is stopped by C-c and says goodbye',
    tags: ['python3'],
    steps: [
      { run: 'python3 -u -m http.server 0 --bind 127.0.0.1', timeout: 0.5, until: /Serving HTTP/ },
      { input: 'C-c', expect: keyEnds('C', 0, /Keyboard interrupt received, exiting\.$/) },
    ],
  },
  {
    name: 'arrow keys as escape sequences reach the program',
    steps: [
      { run: 'read -rsn3 k; printf "%q" "$k"', timeout: 0.2, expect: stillRuns('0.2', '') },
      { input: '\x1b[A', expect: { content: "$'\\E[A'" } },
    ],
  },
];
