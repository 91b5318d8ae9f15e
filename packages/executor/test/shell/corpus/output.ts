import type { Case } from './case.ts';
import { completed, truncated } from './contract-texts.ts';

const lastOf = (count: number) =>
  `[Previous command outputs are truncated. Showing the last ${count} lines of the output below.]\n`;
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).join('\n');
const cut = (text: string) => text.slice(0, 15_000) + truncated + text.slice(-15_000);

const script = `true ${'# filler '.repeat(20)}\n`.repeat(5_500);

export const outputCases: Case[] = [
  {
    name: '12,000 lines: the last 10,050, then the cut by characters',
    steps: [{ run: 'seq 12000', expect: { content: cut(numbers(1951, 12_000)), prefix: lastOf(10_050) } }],
  },
  {
    name: '12,000 lines, hidden: not cut by characters',
    steps: [
      { run: 'seq 12000', hidden: true, expect: { content: numbers(1951, 12_000), prefix: lastOf(10_050) } },
    ],
  },
  {
    name: 'exactly 10,050 lines',
    steps: [{ run: 'yes | head -10050', expect: { content: `y\n`.repeat(10_050).trimEnd() } }],
  },
  {
    name: '10,051 lines',
    steps: [
      {
        run: 'yes | head -10051',
        expect: { content: `y\n`.repeat(10_050).trimEnd(), prefix: lastOf(10_050) },
      },
    ],
  },
  {
    name: '100,000 characters in one line',
    steps: [{ run: "head -c 100000 /dev/zero | tr '\\0' x", expect: { content: cut('x'.repeat(100_000)) } }],
  },
  {
    name: 'exactly 30,000 characters',
    steps: [{ run: "head -c 30000 /dev/zero | tr '\\0' x", expect: { content: 'x'.repeat(30_000) } }],
  },
  {
    name: '30,001 characters',
    steps: [{ run: "head -c 30001 /dev/zero | tr '\\0' x", expect: { content: cut('x'.repeat(30_001)) } }],
  },
  {
    name: 'hidden output is whole',
    steps: [
      { run: "head -c 40000 /dev/zero | tr '\\0' x", hidden: true, expect: { content: 'x'.repeat(40_000) } },
    ],
  },
  {
    name: '30 MB in one stream',
    steps: [
      {
        run: 'seq 4000000',
        timeout: 60,
        expect: { content: cut(numbers(3_989_951, 4_000_000)), prefix: lastOf(10_050) },
      },
    ],
  },
  {
    name: 'ten thousand lines of wide characters',
    steps: [
      {
        run: 'for i in {1..3000}; do echo "行 $i 😀"; done',
        expect: { content: /^行 1 😀\n行 2 😀\n[^]*行 3000 😀$/ },
      },
    ],
  },
  {
    name: 'a script of 1 MB',
    steps: [
      {
        run: `{
${script}}; echo ran`,
        timeout: 60,
        expect: { content: 'ran' },
      },
    ],
  },
  {
    name: 'a heredoc of 1 MB reaches the file unchanged',
    steps: [
      {
        run: `cat >big.txt <<'EOF'\n${'é$x `"\'\\\t!\n'.repeat(80_000)}EOF`,
        timeout: 60,
        expect: { content: '' },
      },
      { run: 'wc -lc <big.txt', expect: { content: /^ *80000 +960000$/ } },
      { run: 'sort -u big.txt', expect: { content: 'é$x `"\'\\\t!' } },
    ],
  },
  {
    name: 'an argument of 1 MB',
    steps: [
      {
        run: `x='${'0123456789'.repeat(100_000)}'; echo \${#x}`,
        timeout: 30,
        expect: { content: '1000000' },
      },
    ],
  },
  {
    name: 'no final newline, then a command: no mixing',
    steps: [
      { run: 'printf "no newline"', expect: { content: 'no newline' } },
      {
        run: 'printf "none again"; (exit 2)',
        expect: { content: 'none again', exitCode: 2, suffix: completed(2) },
      },
      { run: 'echo', expect: { content: '' } },
    ],
  },
  {
    name: 'what was typed is never part of the output',
    steps: [
      { run: 'echo typed-line-here >/dev/null', expect: { content: '' } },
      { run: 'for i in 1 2\ndo\n  : body\ndone', expect: { content: '' } },
      { run: `: ${'long '.repeat(200)}`, expect: { content: '' } },
    ],
  },
  {
    name: 'output to the terminal itself',
    steps: [{ run: 'echo direct >/dev/tty; echo plain', expect: { content: 'direct\nplain' } }],
  },
  {
    name: 'standard output and error in order',
    steps: [
      {
        run: 'for i in 1 2 3; do echo o$i; echo e$i >&2; done',
        expect: { content: 'o1\ne1\no2\ne2\no3\ne3' },
      },
    ],
  },
];
