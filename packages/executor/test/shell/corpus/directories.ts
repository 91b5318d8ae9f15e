import type { Case } from './case.ts';
import { shellEnded } from './contract-texts.ts';

const go = (name: string, quoted: string): Case => ({
  name: `a directory named ${name}`,
  steps: [
    { run: `mkdir -p ${quoted} && cd ${quoted} && echo in`, expect: { content: 'in' } },
    {
      run: 'basename "$PWD" >../name; cmp -s <(basename "$PWD") ../name && echo same',
      expect: { content: 'same' },
    },
    { run: 'exit 1', expect: { exitCode: 1, suffix: /exit code 1/ } },
    { run: 'cmp <(basename "$PWD") ../name && echo same', expect: { content: 'same' } },
  ],
});

export const directoryCases: Case[] = [
  go('with spaces', '"a b  c"'),
  go('with quotes', `"it's"`),
  go('with a semicolon', '"a;b;;c"'),
  go('with a newline', "$'a\\nb'"),
  go('in unicode', '"dir é 世界 😀"'),
  go('with a dollar and a backslash', "'a$b\\c'"),
  go('with a dash first', './-dash'),
  {
    name: 'what the metadata say of such directories',
    steps: [
      { run: 'mkdir -p "s;p ace" $\'n\\nl\'; cd "s;p ace"', expect: { cwd: /\/s;p ace$/ } },
      { run: "cd $'../n\\nl'", expect: { cwd: /\/n\nl$/ } },
    ],
  },
  {
    name: 'the working directory deleted',
    steps: [
      { run: 'mkdir gone && cd gone' },
      { run: 'rmdir ../gone; echo here', expect: { content: 'here' } },
      { run: 'echo still; ls', expect: { content: 'still' } },
      { run: 'cd ..; pwd', expect: { content: /[^/]$/ } },
    ],
  },
  {
    name: 'the shell ends in a deleted directory',
    steps: [
      { run: 'mkdir gone && cd gone && rmdir ../gone' },
      { run: 'exit 2', expect: { exitCode: 2, suffix: /exit code 2/ } },
      { run: 'echo usable', expect: { content: 'usable' } },
    ],
  },
  {
    name: 'symbolic links are kept as they were walked',
    steps: [
      { run: 'mkdir real && ln -s real link && cd link', expect: { cwd: /\/link$/ } },
      { run: 'pwd -P', expect: { content: /\/real$/, cwd: /\/link$/ } },
    ],
  },
  {
    name: 'cd to nowhere',
    steps: [
      {
        run: 'cd /no/such/place',
        expect: { content: 'bash: cd: /no/such/place: No such file or directory', exitCode: 1 },
      },
    ],
  },
  {
    name: 'cd without a home',
    steps: [{ run: '(unset HOME; cd)', expect: { content: 'bash: cd: HOME not set', exitCode: 1 } }],
  },
  {
    name: 'CDPATH and cdable_vars',
    steps: [{ run: 'CDPATH=/usr; cd share', expect: { content: '/usr/share', cwd: '/usr/share' } }],
  },
  {
    name: 'static: its own directory and state',
    steps: [
      { run: 'x=1; cd /usr' },
      {
        run: 'pwd; echo "[${x-}]"; x=2; exit 6',
        static: true,
        cwd: '/etc',
        expect: { content: '/etc\n[]', exitCode: 6, suffix: shellEnded(6, '/etc') },
      },
      { run: 'pwd; echo $x', expect: { content: '/usr\n1', cwd: '/usr' } },
    ],
  },
  {
    name: 'static: while another command runs',
    steps: [
      { run: 'cat', timeout: 0.1, expect: { exitCode: -1, suffix: /timed out/ } },
      { run: 'echo aside', static: true, cwd: '/', expect: { content: 'aside', cwd: '/' } },
      { input: 'C-d', expect: { suffix: /CTRL\+D/ } },
    ],
  },
  {
    name: 'static: a time-out ends it',
    steps: [
      {
        run: 'sleep 30',
        static: true,
        timeout: 0.3,
        expect: { exitCode: -1, content: '', suffix: /timed out after 0\.3 seconds/ },
      },
      { run: '', expect: { content: /^ERROR: No previous running/, exitCode: -1, suffix: '' } },
    ],
  },
  {
    name: 'static: a directory that does not exist',
    steps: [
      {
        run: 'true',
        static: true,
        cwd: '/no/such/place',
        expect: { error: /there is no directory \/no\/such\/place/ },
      },
    ],
  },
];
