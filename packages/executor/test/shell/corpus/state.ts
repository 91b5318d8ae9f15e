import type { Case } from './case.ts';

export const stateCases: Case[] = [
  {
    name: 'the directory stays',
    steps: [
      { run: 'mkdir -p sub && cd sub', expect: { content: '', cwd: /\/sub$/ } },
      { run: 'basename "$PWD"', expect: { content: 'sub', cwd: /\/sub$/ } },
      { run: 'cd - >/dev/null; cd -', expect: { content: /\/sub$/, cwd: /\/sub$/ } },
    ],
  },
  {
    name: 'variables stay, exported or not',
    steps: [
      { run: 'x="a  b"; export Y=2' },
      { run: 'echo "$x"; sh -c \'echo "$x$Y"\'', expect: { content: 'a  b\n2' } },
    ],
  },
  {
    name: 'functions and aliases stay',
    steps: [
      { run: 'greet() { echo "hi $1"; }; alias ll="echo listed"' },
      { run: 'greet you; ll', expect: { content: 'hi you\nlisted' } },
    ],
  },
  {
    name: 'umask, ulimit and shopt stay',
    steps: [
      { run: 'umask 027; ulimit -c 0; ulimit -n 512; shopt -s nullglob extglob; set -f' },
      {
        run: 'umask; ulimit -n; shopt -q nullglob extglob; echo $?; echo *; set +f',
        expect: { content: '0027\n512\n0\n*' },
      },
    ],
  },
  {
    name: '$? is that of the command before',
    steps: [
      { run: '(exit 7)', expect: { content: '', exitCode: 7 } },
      { run: 'echo $?', expect: { content: '7' } },
      { run: 'echo $?', expect: { content: '0' } },
    ],
  },
  {
    name: '$! is that of the last job and in the metadata',
    steps: [
      { run: 'sleep 0.01 &', expect: { content: /^\[1\] \d+$/ } },
      {
        run: 'wait $!; echo $?',
        expect: {
          content: /^(\[1\]\+ {2}Done +sleep 0\.01\n)?0(\n\[1\]\+ {2}Done +sleep 0\.01)?$/,
          prefix: /^/,
        },
      },
    ],
  },
  {
    name: 'positional parameters stay',
    steps: [{ run: 'set -- one two' }, { run: 'echo $# $2', expect: { content: '2 two' } }],
  },
  {
    name: 'an array stays',
    steps: [{ run: 'a=(1 "2 3")' }, { run: 'echo "${a[1]}" ${#a[@]}', expect: { content: '2 3 2' } }],
  },
  {
    name: 'an open file descriptor stays',
    steps: [
      { run: 'exec 7>fd.txt' },
      { run: 'echo text >&7; exec 7>&-; cat fd.txt', expect: { content: 'text' } },
    ],
  },
  {
    name: 'pushd, popd and dirs',
    steps: [
      { run: 'pushd /usr >/dev/null; pushd /etc', expect: { content: /^\/etc \/usr /, cwd: '/etc' } },
      { run: 'popd >/dev/null; pwd', expect: { content: '/usr', cwd: '/usr' } },
    ],
  },
  {
    name: 'a nested bash has its own state',
    steps: [{ run: 'x=1; bash -c "x=2; echo in \\$x"; echo out $x', expect: { content: 'in 2\nout 1' } }],
  },
  {
    name: 'IFS changed for good',
    steps: [
      { run: 'IFS=:' },
      { run: 'x=a:b; echo $x', expect: { content: 'a b' } },
      { run: 'echo ok', expect: { content: 'ok' } },
    ],
  },
  {
    name: 'LANG=C for good',
    steps: [{ run: 'export LANG=C LC_ALL=C' }, { run: 'echo "é ok"', expect: { content: 'é ok' } }],
  },
  {
    name: 'git does not page',
    tags: ['git'],
    steps: [
      { run: 'git init -q r && cd r && git -c user.name=n -c user.email=e commit -q --allow-empty -m first' },
      { run: 'git log --format=%s', expect: { content: 'first' } },
    ],
  },
  {
    name: 'history has what was typed and not the machinery',
    steps: [
      { run: 'echo first' },
      { run: 'cat <<EOF\nbody\nEOF' },
      { run: 'history', expect: { content: / echo first\n.* cat <<EOF\nbody\nEOF\n.* history$/s } },
      { run: 'history | grep -c __fl || true', expect: { content: /^1$/ } },
      { run: 'fc -l', expect: { content: /\t echo first\n[^]*history \| grep/ } },
    ],
  },
  {
    name: 'the variables of the machinery stay out of the environment',
    steps: [{ run: 'env | grep -c "__fl_n\\|__fl_c" || true', expect: { content: '0' } }],
  },
  {
    name: 'sourcing a file',
    steps: [
      { run: 'printf "v=1\\nreturn 3\\n" >s.sh' },
      { run: '. ./s.sh', expect: { content: '', exitCode: 3 } },
      { run: 'echo $v', expect: { content: '1' } },
      {
        run: 'source ./missing.sh',
        expect: { content: 'bash: ./missing.sh: No such file or directory', exitCode: 1 },
      },
      {
        run: 'printf "if\\n" >bad.sh; . ./bad.sh',
        expect: { content: /bad\.sh: line 2: syntax error/, exitCode: 2 },
      },
    ],
  },
  {
    name: 'exit status of what cannot be run',
    steps: [
      {
        run: 'no-such-command-here',
        expect: { content: 'bash: no-such-command-here: command not found', exitCode: 127 },
      },
      { run: 'touch notx; ./notx', expect: { content: 'bash: ./notx: Permission denied', exitCode: 126 } },
      { run: '/', expect: { content: 'bash: /: Is a directory', exitCode: 126 } },
    ],
  },
  {
    name: 'syntax errors harm nobody',
    steps: [
      { run: 'for', expect: { content: /^bash: syntax error/, exitCode: 2 } },
      { run: 'echo "abc', expect: { content: /unexpected EOF/, exitCode: 2 } },
      { run: 'if true; then', expect: { content: /syntax error/, exitCode: 2 } },
      { run: ')', expect: { content: /syntax error/, exitCode: 2 } },
      { run: 'cat <<EOF\nno end', expect: { content: /no end$/ } },
    ],
  },
  {
    name: 'return, break and continue out of place',
    steps: [
      { run: 'return 4', expect: { exitCode: 2, content: /^bash: return: can only/ } },
      { run: 'break', expect: { exitCode: 0, content: /^bash: break: only meaningful/ } },
      { run: 'echo $?', expect: { content: '0' } },
    ],
  },
];
