import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCommands } from '../../src/shell/split/split-commands.ts';

const seed = 20_261;

test('commands put together by newlines come apart into just these, and bash takes each one', () => {
  const scripts = fc.sample(fc.array(command(), { minLength: 2, maxLength: 5 }), { numRuns: 400, seed });
  for (const commands of scripts) expect(splitCommands(commands.join('\n'))).toEqual(commands);
  const all = [...new Set(scripts.flat())];
  const verdicts = bashAccepts(all);
  expect(all.filter((_text, index) => !verdicts[index])).toEqual([]);
}, 30_000);

test('on any mix of tokens the split agrees with where bash ends its commands', () => {
  const texts = fc.sample(tokens(), { numRuns: 900, seed }).filter((text) => text.includes('\n'));
  const prefixes = texts.map((text) =>
    text.split('\n').map((_line, index, lines) => lines.slice(0, index + 1).join('\n')),
  );
  const verdicts = bashAccepts(prefixes.flat());
  let next = 0;
  for (const [index, text] of texts.entries()) {
    const accepted = prefixes[index]!.filter((prefix) => verdicts[next++] && !isContinued(prefix, text));
    expect(splitCommands(text).map(bare), JSON.stringify(text)).toEqual(
      expectedPieces(text, accepted).map(bare),
    );
  }
}, 30_000);

/** Commands in every form, nested. Words are chosen to tempt the lexer. */
function command(): fc.Arbitrary<string> {
  const word = fc.constantFrom(
    ...[
      [
        'a',
        'b1',
        'if',
        'done',
        '}',
        '"x\n y"',
        "'(\n'",
        '$(c\nd)',
        '`e\n`',
        '${f:-\n}',
        '$((1\n+1))',
        'g\\\nh',
        '#'.padStart(2, 'i'),
      ],
      ["$'\\'\n'", '"$(k "l\n")"', '<(m\nn)', '\\)', '[[', '!', '*.ts', 'x=1'],
    ].flat(),
  );
  const simple = fc.array(word, { maxLength: 4 }).map((words) => ['echo', ...words].join(' '));
  const { node } = fc.letrec<{ node: string; list: string }>((tie) => ({
    list: fc.array(tie('node'), { minLength: 1, maxLength: 2 }).map((commands) => commands.join('\n')),
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      simple,
      simple.map((text) => `${text} <<E\nbody )'"\nE`),
      simple.map((text) => `${text} <<-'E' && b\n\tbody\\\n\tE`),
      fc
        .tuple(simple, fc.constantFrom('&&', '||', '|', '|&'), tie('node'))
        .map(([a, operator, b]) => `${a} ${operator} # c\n\n${b}`),
      tie('list').map((list) => `(\n${list}\n)`),
      tie('list').map((list) => `{ ${list}\n} >out`),
      tie('list').map((list) => `if ${list}\nthen\n${list}\nelse # e\n${list}\nfi`),
      tie('list').map((list) => `for x in a "b\n"\ndo ${list}\ndone`),
      tie('list').map((list) => `while ${list}\ndo ${list}\ndone`),
      tie('list').map((list) => `case x in\na|b) ${list}\n;;\n(*)\n${list}\nesac`),
      tie('list').map((list) => `f()\n{\n${list}\n}`),
      tie('list').map((list) => `echo "$( ${list}\n)"`),
    ),
  }));
  return node;
}

function tokens(): fc.Arbitrary<string> {
  const token = fc.constantFrom(
    ...[
      [
        'a',
        'b',
        'x',
        'if',
        'then',
        'else',
        'fi',
        'while',
        'do',
        'done',
        'for',
        'in',
        'case',
        'esac',
        'function',
        'coproc',
      ],
      [
        '{',
        '}',
        '(',
        ')',
        '((',
        '))',
        '[[',
        'a ]]',
        '!',
        'time',
        ';',
        '&',
        '&&',
        '||',
        '|',
        '|&',
        ';;',
        '\n',
        '\n',
        '\n',
      ],
      [
        '>x',
        '2>&1',
        '<<E\nb\nE\n',
        '<<<z',
        'f()',
        '$(',
        '"$(',
        ')"',
        '`a`',
        '"q\nr"',
        "'s\nt'",
        '${x}',
        '$((1))',
      ],
      [
        'a=(1\n2)',
        'a=',
        'declare a=(1)',
        '# c\n',
        '\\\n',
        '<(',
        '(a)',
        '{ a;',
        'if a; then',
        'for x in a; do',
        'case x in',
      ],
      ['a) b;;', '((1))', '[[ a ]]', '"${x:-"a\nb"}"', "$'\\'\n'", 'x[1 2]=3', 'echo', 'echo'],
    ].flat(),
  );
  return fc.array(token, { minLength: 2, maxLength: 9 }).map((parts) => parts.join(' ').trim());
}

/** For each text whether bash parses it as whole commands without a word of complaint; nothing is executed. */
function bashAccepts(texts: string[]): boolean[] {
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-split-'));
  try {
    const file = join(directory, 'texts');
    writeFileSync(file, texts.map((text) => `${text}\0`).join(''));
    const answers = execFileSync('bash', ['--norc', '-c', oracle, 'bash', file], {
      encoding: 'utf8',
      cwd: directory,
    });
    return answers
      .trim()
      .split('\n')
      .map((answer) => answer === 'yes');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const oracle = `
while IFS= read -r -d '' text <&3; do
  if complaint=$( { eval "set -n
$text"; } 2>&1 ) && [[ -z $complaint ]]; then echo yes; else echo no; fi
done 3<"$1"`;

/** Bash takes a backslash at the very end for a character, while here another line follows. */
function isContinued(prefix: string, text: string): boolean {
  return prefix.endsWith('\\') && prefix.length < text.length;
}

function expectedPieces(text: string, accepted: string[]): string[] {
  if (accepted.at(-1) !== text) return [text];
  const pieces: string[] = [];
  let start = 0;
  let pending = '';
  for (const prefix of accepted) {
    const piece = pending + text.slice(start, prefix.length);
    start = prefix.length;
    pending = '';
    if (!isBlankOrComment(piece)) pieces.push(piece);
    else if (pieces.length > 0) pieces.push(pieces.pop()! + piece);
    else pending = piece;
  }
  return pending === '' ? pieces : [...pieces, pending];
}

function isBlankOrComment(piece: string): boolean {
  return piece.split('\n').every((line) => /^[\s\\]*(#.*)?$/.test(line));
}

function bare(piece: string): string {
  return piece.replace(/^[ \t\n\\]+|[ \t\n\\]+$/g, '');
}
