import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/editor/unified-diff.ts';
import { python } from '../files/python.ts';

const difflib = `
import difflib
def diff(old, new):
    lines = difflib.unified_diff(old.split('\\n'), new.split('\\n'), '/p', '/p', n=0)
    return '\\n'.join(line.rstrip() for line in lines)
answer = [diff(old, new) for old, new in given]`;

function expectAsPython(pairs: [string, string][]): void {
  const expected = python(difflib, pairs) as string[];
  for (const [index, [before, after]] of pairs.entries())
    expect(unifiedDiff(before, after, '/p'), JSON.stringify([before, after]).slice(0, 500)).toBe(
      expected[index],
    );
}

test('known changes print as difflib prints them', { tags: ['python3'] }, () => {
  expectAsPython([
    ['', ''],
    ['', 'one\ntwo\nthree\n'],
    ['one\n', ''],
    ['a\nb\nc', 'a\nB\nc'],
    ['x\ny', 'x\nx\ny'],
    ['a\n', 'a'],
    ['tail  \nb', 'tail\t\u00a0\nb\u2028'],
    ['a\r\nb', 'a\nb'],
  ]);
  expect(unifiedDiff('', 'one\ntwo\nthree\n', '/f')).toBe(
    '--- /f\n+++ /f\n@@ -0,0 +1,3 @@\n+one\n+two\n+three',
  );
});

test('any two short texts differ as in difflib', { tags: ['python3'] }, () => {
  const text = fc
    .array(fc.constantFrom('', 'a', 'b', 'c ', '}', '\t'), { maxLength: 25 })
    .map((lines) => lines.join('\n'));
  expectAsPython(fc.sample(fc.tuple(text, text), 600));
});

test('long texts differ as in difflib, popular lines and all', { tags: ['python3'] }, () => {
  const lines = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('', '}', 'return') },
      { weight: 5, arbitrary: fc.nat(400).map(String) },
    ),
    {
      minLength: 190,
      maxLength: 700,
      size: 'max',
    },
  );
  const changes = fc.array(
    fc.tuple(fc.nat(700), fc.nat(5), fc.array(fc.constantFrom('', '}', 'x', '7'), { maxLength: 4 })),
    { maxLength: 8 },
  );
  const pair = fc.tuple(lines, changes).map(([before, edits]): [string, string] => {
    const after = [...before];
    for (const [at, removed, added] of edits) after.splice(at, removed, ...added);
    return [before.join('\n'), after.join('\n')];
  });
  expectAsPython(fc.sample(pair, 120));
});

test('a change in a text too repetitive for the exact search is still told by the lines that changed', () => {
  const repetitive = Array.from({ length: 60_000 }, (_, index) => `row ${(index * 7) % 150}`);
  const changed = [...repetitive];
  changed.splice(30_000, 2, 'new', 'newer', 'newest');
  const startedAt = performance.now();
  const diff = unifiedDiff(repetitive.join('\n'), changed.join('\n'), '/p');
  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(diff.split('\n')).toEqual([
    '--- /p',
    '+++ /p',
    '@@ -30001,2 +30001,3 @@',
    `-${repetitive[30_000]}`,
    `-${repetitive[30_001]}`,
    '+new',
    '+newer',
    '+newest',
  ]);
});

test('a diff of a long text is true: applied to the old text it gives the new one', () => {
  const filler = Array.from({ length: 9000 }, (_, index) => `filler ${index % 3000} ${'.'.repeat(30)}`);
  const line = fc.constantFrom('', 'x', 'y', 'filler 7');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(9000), fc.nat(3), fc.array(line, { maxLength: 3 })), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.constantFrom('', '\n'),
      fc.constantFrom('', '\n'),
      (edits, oldEnd, newEnd) => {
        const after = [...filler];
        for (const [at, removed, added] of edits) after.splice(at, removed, ...added);
        const before = filler.join('\n') + oldEnd;
        const wanted = after.join('\n') + newEnd;
        expect(applied(before, unifiedDiff(before, wanted, '/p')) === wanted).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

test('one changed line in a megabyte takes little more than reading its lines', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${'.'.repeat(40)}`).join('\n');
  const after = before.replace('line 12345 ', 'LINE 12345 ');
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    unifiedDiff(before, after, '/p');
    return performance.now() - startedAt;
  });
  expect(Math.min(...times)).toBeLessThan(50);
});

/** What `patch` does, for diffs without context. */
function applied(text: string, diff: string): string {
  const old = text.split('\n');
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (hunk) {
      const start = hunk[2] === '0' ? Number(hunk[1]) : Number(hunk[1]) - 1;
      result.push(...old.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else expect(old[at++]).toBe(line.slice(1));
  }
  return [...result, ...old.slice(at)].join('\n');
}
