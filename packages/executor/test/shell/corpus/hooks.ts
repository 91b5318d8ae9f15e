import type { Case } from './case.ts';

const probe = { run: 'echo still; (exit 7)', expect: { content: 'still', exitCode: 7 } };

/** Prompts, traps and options of the user's, by which the shell's own reports must not be disturbed. */
export const hookCases: Case[] = [
  { name: 'PS1 changed', steps: [{ run: 'PS1="my prompt> "' }, probe] },
  { name: 'PS1 empty', steps: [{ run: 'PS1=' }, probe] },
  { name: 'PS1 unset', steps: [{ run: 'unset PS1' }, probe] },
  {
    name: 'PS1 with a command that fails and prints',
    steps: [{ run: `PS1='$(echo noise; false)$ '` }, probe, probe],
  },
  {
    name: 'PS1 of several lines with colours',
    steps: [{ run: `PS1='\\n\\[\\e[32m\\]\\u\\n\\[\\e[0m\\]> '` }, probe, probe],
  },
  {
    name: 'PS0, PS2 and PS4 changed',
    steps: [{ run: 'PS0="zero "; PS2="two "; PS4="four "' }, probe, probe],
  },
  { name: 'PS0 unset', steps: [{ run: 'unset PS0' }, probe] },
  { name: 'PROMPT_COMMAND changed', steps: [{ run: 'PROMPT_COMMAND="true"' }, probe, probe] },
  { name: 'PROMPT_COMMAND that prints', steps: [{ run: 'PROMPT_COMMAND="echo noise"' }, probe, probe] },
  {
    name: 'PROMPT_COMMAND that fails',
    steps: [{ run: 'PROMPT_COMMAND="false; nosuchcommand"' }, probe, probe],
  },
  { name: 'PROMPT_COMMAND unset', steps: [{ run: 'unset PROMPT_COMMAND' }, probe] },
  {
    name: 'PROMPT_COMMAND as an array',
    steps: [{ run: 'PROMPT_COMMAND=("true" "x=1")' }, probe, { run: 'echo $x', expect: { content: '1' } }],
  },
  {
    name: 'PROMPT_COMMAND in the way of others',
    steps: [
      { run: 'PROMPT_COMMAND="$PROMPT_COMMAND; y=2"' },
      probe,
      { run: 'echo $y', expect: { content: '2' } },
    ],
  },
  {
    name: 'everything unset at once',
    steps: [{ run: 'unset PS0 PS1 PS2 PS4 PROMPT_COMMAND IFS' }, probe, probe],
  },
  { name: 'a prompt that is read only', steps: [{ run: 'readonly PS1 PS0 PROMPT_COMMAND' }, probe, probe] },
  {
    name: 'trap DEBUG that prints',
    steps: [
      { run: `trap 'echo "dbg $BASH_COMMAND"' DEBUG` },
      { run: 'true', expect: { content: /^dbg true$/m } },
      { run: 'trap - DEBUG' },
      probe,
    ],
  },
  {
    name: 'trap DEBUG that fails',
    steps: [
      { run: 'trap false DEBUG' },
      { run: 'echo x', expect: { content: 'x' } },
      { run: 'trap - DEBUG' },
      probe,
    ],
  },
  {
    name: 'trap ERR',
    steps: [
      { run: 'trap "echo erred" ERR' },
      { run: 'false', expect: { content: /^erred/, exitCode: 1 } },
      { run: 'true', expect: { content: '' } },
    ],
  },
  { name: 'trap INT ignored', steps: [{ run: 'trap "" INT' }, probe, { run: 'trap - INT' }] },
  {
    name: 'trap EXIT removed',
    steps: [
      { run: 'trap - EXIT' },
      probe,
      { run: 'exit 3', expect: { exitCode: 3, suffix: /exit code 3\.\]\n\[The shell ended/ } },
    ],
  },
  {
    name: 'set -u',
    steps: [
      { run: 'set -u' },
      probe,
      { run: 'echo $nope', expect: { content: /nope: unbound variable$/, exitCode: 1 } },
      probe,
    ],
  },
  {
    name: 'set -u and prompts unset',
    steps: [{ run: 'set -u; unset PS0 PS1 PROMPT_COMMAND' }, probe, probe],
  },
  {
    name: 'set -x shows the command and not the machinery',
    steps: [
      { run: 'set -x' },
      { run: 'echo a b', expect: { content: '++ echo a b\na b' } },
      { run: 'false', expect: { content: '++ false', exitCode: 1 } },
      { run: 'set +x', expect: { content: '++ set +x' } },
      probe,
    ],
  },
  {
    name: 'set -x with another PS4',
    steps: [
      { run: `PS4='>> '; set -x` },
      { run: 'echo a', expect: { content: '>>> echo a\na' } },
      { run: 'set +x', expect: { content: '>>> set +x' } },
      probe,
    ],
  },
  {
    name: 'set -v',
    steps: [{ run: 'set -v' }, { run: 'echo a', expect: { content: /(^|\n)a$/ } }, { run: 'set +v' }, probe],
  },
  {
    name: 'set -o pipefail',
    steps: [{ run: 'set -o pipefail' }, { run: 'false | true', expect: { exitCode: 1 } }, probe],
  },
  {
    name: 'set -C',
    steps: [
      { run: 'set -C; echo 1 >f' },
      { run: 'echo 2 >f', expect: { content: /cannot overwrite/, exitCode: 1 } },
      probe,
    ],
  },
  { name: 'set -f', steps: [{ run: 'set -f' }, { run: 'echo *', expect: { content: '*' } }, probe] },
  {
    name: 'set +B, set +h',
    steps: [{ run: 'set +B +h' }, probe, { run: 'echo {a,b}', expect: { content: '{a,b}' } }],
  },
  { name: 'set -n is ignored by an interactive shell', steps: [{ run: 'set -n' }, probe] },
  {
    name: 'set -a',
    steps: [{ run: 'set -a; auto=1' }, { run: "sh -c 'echo $auto'", expect: { content: '1' } }, probe],
  },
  {
    name: 'set -a and a nested interactive shell',
    steps: [
      { run: 'set -a; PS1=$PS1' },
      { run: 'bash --norc -i -c "echo nested"', expect: { content: 'nested' } },
      probe,
    ],
  },
  { name: 'set -o posix', steps: [{ run: 'set -o posix' }, probe, { run: 'set +o posix' }, probe] },
  { name: 'set -o vi', steps: [{ run: 'set -o vi' }, probe, probe] },
  { name: 'no line editing', steps: [{ run: 'set +o emacs +o vi' }, probe, probe] },
  { name: 'set -H', steps: [{ run: 'set -H' }, { run: 'echo wow!x', expect: { content: 'wow!x' } }] },
  {
    name: 'set +m',
    steps: [{ run: 'set +m' }, { run: 'sleep 0.01 & wait; echo ok', expect: { content: /ok$/ } }, probe],
  },
  { name: 'shopt -s extdebug', steps: [{ run: 'shopt -s extdebug' }, probe, probe] },
  { name: 'shopt -u promptvars', steps: [{ run: 'shopt -u promptvars' }, probe, probe] },
  { name: 'shopt -s lithist histverify', steps: [{ run: 'shopt -s lithist histverify cmdhist' }, probe] },
  { name: 'history off', steps: [{ run: 'set +o history; unset HISTFILE' }, probe] },
  {
    name: 'builtins overridden by functions',
    steps: [
      {
        run: 'printf() { echo evil; }; read() { echo evil; }; history() { echo evil; }; local() { :; }; return() { :; }',
      },
      { run: 'echo sane', expect: { content: 'sane' } },
      { run: 'unset -f printf read history local return' },
      probe,
    ],
  },
  {
    name: 'eval and trap overridden',
    steps: [{ run: 'trap() { :; }; declare() { :; }; hash() { echo evil; }' }, probe],
  },
  {
    name: 'aliases of everything',
    steps: [
      { run: 'alias echo="echo aliased" builtin=false local=false printf=false' },
      { run: 'echo x', expect: { content: 'aliased x' } },
      { run: 'unalias -a' },
      probe,
    ],
  },
  {
    name: 'enable -n',
    steps: [{ run: 'enable -n history hash test' }, probe, { run: 'enable history hash test' }],
  },
  {
    name: 'PATH emptied',
    steps: [
      { run: 'PATH=' },
      { run: 'echo builtin', expect: { content: 'builtin' } },
      { run: 'ls', expect: { content: /No such file|not found/, exitCode: 127 } },
    ],
  },
  {
    name: 'the prompt printed by a command',
    steps: [
      { run: 'echo "${PS1@P}"; sleep 0.1; echo later; (exit 3)', expect: { content: /later$/, exitCode: 3 } },
      probe,
    ],
  },
];
