import { describe, expect, test } from 'vitest';
import { splitCommands } from '../../src/shell/split/split-commands.ts';

describe('each of these is a command of its own, whatever stands before and behind it', () => {
  const commands = [
    'echo a; echo b && echo c || echo d | cat',
    'sleep 1 &',
    'echo a;',
    'a=1 b=2',
    'a=1 b=2 env >out 2>&1',
    "echo 'one\ntwo'",
    'echo "one\ntwo $x `date\n`"',
    "echo $'it\\'s\ntwo'",
    'echo $"one\ntwo"',
    'echo `ls\n`',
    'echo $(ls\npwd)',
    'echo "$(ls\npwd "x\n")"',
    'echo "$(case x in a) echo 1;; b) echo 2\nesac)"',
    'echo ${x:-a\nb}',
    'echo "${x:-"a\nb"}"',
    "echo ${x%'}\n'}",
    'echo $((1 +\n2))',
    'echo $[1 +\n2]',
    '(( x <<\n1 ))',
    '((a)\n(b))',
    '( (a) ;\n(b) )',
    '[[ a == b &&\nc =~ ^(d|e)$ ]]',
    '[[ a # it is\n&& b ]]',
    '(\necho a\n\necho b\n)',
    '{\necho a\n}',
    'if a\nthen b\nelif c; then d\nelse\ne\nfi',
    'if (a) then b; fi',
    'for x in 1 2\ndo echo $x\ndone',
    'for x\nin 1 2; do\necho; done',
    'for x; do echo\ndone',
    'for ((i = 0;\ni < 2; i++))\ndo echo\ndone',
    'for ((;;)) {\nbreak\n}',
    'while read -r line\ndo echo "$line"\ndone < file',
    'until a; do\nb\ndone | sort',
    'select x in a b\ndo break\ndone',
    'case x in\na) b;;\n(c|d)\ne ;&\n*) f\nesac',
    'case x in if) a;; esac',
    'case "$1" in\n# it is a comment\nesac',
    'f() {\necho a\n}',
    'f()\n{\necho a; }',
    'f () (\na\n)',
    'function f\n{\na\n}',
    'function f() { a\n} >out',
    'coproc a',
    'coproc NAME {\na\n}',
    'coproc while a\ndo b\ndone',
    '! a',
    'time a |\nb',
    'time -p { a\n}',
    'echo a \\\nb',
    'echo a\\\nb',
    'a &&\nb',
    'a ||\n\n# why\nb',
    'a | # first\nb',
    'a |&\nb',
    'cat <<X\none\ntwo\nX',
    'cat <<-X\n\tone\n\t\tX',
    "cat <<'X'\n$(\nX",
    'cat <<"X Y"\n`\nX Y',
    'cat <<\\X\n"\nX',
    'cat <<A <<B\na\nA\nb\nB',
    'cat <<X && echo done\nbody "\nX',
    'cat <<X |\nbody\nX\nsort',
    'cat <<X\nnot the end \\\nX\nX',
    "cat <<'X'\nthe end \\\nX",
    'echo "$(cat <<X\n)"\nX\n)"',
    'echo $(cat <<X\nbody\nX)',
    'cat <<A $(cat <<B\nb\nB\n)\na\nA',
    "cat <<'X '\nbody\nX ",
    'cat <<< "a\nb"',
    'cat <<<X',
    'a=(1 2\n3 # )\n4)',
    'a+=([0]=x\n[1 + 1]=$(y\n))',
    'declare -a a=(1\n2)',
    'a[1 + 2]=3',
    'diff <(a\nb) >(c\nd)',
    'echo a#b # comment',
    'echo \\# no comment',
    'echo {a,b} }',
    'echo $${ $$ $# "$$"',
    'echo if then fi',
    'echo a\\ ',
    '>out',
    '{fd}>out echo',
    '2>&1 if',
    'sort 2>&1<in',
    '<a[ b',
    'ls !(a|b)',
  ];
  test.each(commands)('%j', (command) => {
    expect(splitCommands(`${command}\n`)).toEqual([command]);
    expect(splitCommands(`first\n${command}\nlast`)).toEqual(['first', command, 'last']);
    expect(splitCommands(`  \n\n${command}\n \n\t${command}\n  \n`)).toEqual([command, command]);
  });
});

describe('comments are no commands', () => {
  test.each([
    ['# only\n# comments', ['# only\n# comments']],
    ['# before\necho a', ['# before\necho a']],
    ['\n# before\n\n# again\necho a', ['# before\n\n# again\necho a']],
    ['echo a\n# behind', ['echo a\n# behind']],
    ['echo a # behind\n# between\n\necho b', ['echo a # behind\n# between', 'echo b']],
    ["echo a # it's\necho b", ["echo a # it's", 'echo b']],
    ['echo a # not continued \\\necho b', ['echo a # not continued \\', 'echo b']],
  ])('%j', (text, expected) => {
    expect(splitCommands(text)).toEqual(expected);
  });
});

describe('a text that bash refuses stays whole', () => {
  test.each([
    "echo 'a\necho b",
    'echo "a\necho b',
    'echo `a\necho b',
    'echo $(a\necho b',
    'echo ${a\necho b',
    '(a\nb',
    '{ a\nb',
    'if a\nthen b',
    'cat <<X\necho b',
    'cat <<X',
    'a\n)',
    'a\n}',
    'a\nfi',
    'a\n;;\nb',
    'a; ; b\nc',
    '| a\nb',
    'a &&\n',
    'a\n&& b',
    'a >\nb',
    'f()\nb',
    'for x in a; b\nc',
    'case x in a b) c;; esac\nd',
    'if ; then a; fi\nb',
    '()\na',
    'echo a=(1)\nb',
    'if true; then\r\necho a\r\nfi\r\n',
  ])('%j', (text) => {
    expect(splitCommands(text)).toEqual([text]);
  });
});

test('a text without a newline comes back as it is', () => {
  for (const text of ['', '  echo a  ', 'echo "']) expect(splitCommands(text)).toEqual([text]);
});

test('blank lines alone are one text', () => {
  expect(splitCommands(' \n \n')).toEqual([' \n \n']);
});

describe('big texts take time in proportion and no stack', () => {
  const deep = 20_000;
  test.each([
    ['a here-document', `cat <<X\n${'some "text $( in a line\n'.repeat(40_000)}X\nb`, 2],
    ['a line', `echo ${'word '.repeat(200_000)}\nb`, 2],
    ['a string', `echo "${'it is $a `b`\n'.repeat(60_000)}"\nb`, 2],
    ['lines', 'echo "a" | cat\n'.repeat(50_000), 50_000],
    ['subshells', `${'( '.repeat(deep)}a${' )'.repeat(deep)}\nb`, 2],
    ['parentheses', `${'('.repeat(deep)}a${')'.repeat(deep)}\nb`, 2],
    ['parentheses that are no arithmetic', `${'('.repeat(deep)}a${') '.repeat(deep)}\nb`, 2],
    ['open parentheses', `${'('.repeat(deep)}\nb`, 1],
    ['substitutions', `echo ${'"$(a '.repeat(deep)}${')"'.repeat(deep)}\nb`, 2],
    ['expansions', `echo ${'${a:-'.repeat(deep)}${'}'.repeat(deep)}\nb`, 2],
    ['subscripts', `${'a[$('.repeat(deep)}b${')]=1'.repeat(deep)}\nb`, 2],
    ['continued words', `${'a$('.repeat(deep)}b\\\nc${')'.repeat(deep)}\nb`, 2],
    ['groups', `${'{ '.repeat(deep)}a;${' }'.repeat(deep)}\nb`, 2],
    ['ifs', `${'if a; then '.repeat(deep)}a;${' fi;'.repeat(deep)}\nb`, 2],
    ['waiting here-documents', `echo $(${'<<a '.repeat(deep)})\n${'a\n'.repeat(deep)}b`, 2],
  ])('%s', (_name, text, count) => {
    const start = performance.now();
    expect(splitCommands(text)).toHaveLength(count);
    // Ten times what it takes on an idle machine; anything quadratic takes far longer.
    expect(performance.now() - start).toBeLessThan(1500);
  });
});
