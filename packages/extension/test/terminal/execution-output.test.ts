import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExecutionOutput } from '../../src/terminal/integration/execution-output.ts';

const begun = '\x1b]633;C\x07';

function feedAll(parts: string[]): { text: string; exitCode: number | undefined } {
  const output = new ExecutionOutput();
  const text = parts.map((part) => output.feed(part)).join('');
  return { text, exitCode: output.exitCode };
}

describe('what VS Code hands out of a command', () => {
  test.each([
    ['text', `${begun}one\r\ntwo\r\n`, 'one\r\ntwo\r\n'],
    ['what stands before its beginning', `eval 'x'\r\n${begun}out`, 'out'],
    ['what stands behind its end', `${begun}out\x1b]633;D;0\x07\x1b]633;A\x07$ `, 'out'],
    ['the directory', `${begun}a\x1b]633;P;Cwd=/home\x07b`, 'ab'],
    ['marks that end in another way', '\x1b]633;C\x1b\\out\x1b]633;D\x1b\\', 'out'],
    ['no marks at all', 'out', 'out'],
    [
      'sequences of programs',
      `${begun}\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x07link`,
      undefined,
    ],
    ['what only looks like a mark', `${begun}\x1b]63\x1b]6334;x\x07\x1b]69\x1b[m`, undefined],
  ])('%s', (_name, data, expected) => {
    expect(feedAll([data]).text).toBe(expected ?? data.slice(begun.length));
  });

  test('the exit code that the command itself reports', () => {
    expect(feedAll([`${begun}bye\x1b]697;end;42\x07`])).toEqual({ text: 'bye', exitCode: 42 });
    expect(feedAll([`${begun}bye`]).exitCode).toBeUndefined();
  });

  test('comes out the same wherever it is cut', () => {
    const pieces = [
      begun,
      'a',
      '\x1b',
      ']',
      '6',
      '\x1b]633;P;x=y\x07',
      '\x1b[1m',
      '\x1b]697;end;3\x07',
      '\r\n',
      '€',
      '\x1b]0;t\x1b\\',
    ];
    const data = fc
      .array(fc.constantFrom(...pieces), { maxLength: 12 })
      .map((all) => begun + all.join('') + '.');
    fc.assert(
      fc.property(data, fc.array(fc.nat(200), { maxLength: 8 }), (whole, places) => {
        const cuts = [0, ...places.map((place) => place % whole.length).sort((a, b) => a - b), whole.length];
        const parts = cuts.slice(1).map((cut, index) => whole.slice(cuts[index], cut));
        const late = whole.lastIndexOf(begun) + begun.length;
        // What was already shown cannot be taken back by a second beginning.
        if (late > begun.length) return;
        expect(feedAll(parts)).toEqual(feedAll([whole]));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a mark that never ends does not hold everything back for ever', () => {
    const output = new ExecutionOutput();
    let shown = 0;
    for (let count = 0; count < 100; count += 1)
      shown += output.feed(count === 0 ? '\x1b]633;' : 'x'.repeat(10_000)).length;
    expect(shown).toBeGreaterThan(500_000);
  });
});
