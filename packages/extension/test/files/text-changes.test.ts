import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TextChange, textChanges } from '../../src/files/text-changes.ts';

describe('the changes between two texts', () => {
  const line = fc.constantFrom('', 'a', 'b', 'ab', 'long line of text', '😀', '😁', '\r', 'x\r');
  const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, hasEnd]) => {
    return lines.join('\n') + (hasEnd ? '\n' : '');
  });

  it('turn the one into the other, whatever they are', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applied(before, textChanges(before, after))).toBe(after);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never part a line end or a character', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        for (const { start, end } of textChanges(before, after))
          for (const offset of [start, end]) {
            const around = before.slice(offset - 1, offset + 1);
            expect(around === '\r\n' || /^[\ud800-\udbff][\udc00-\udfff]$/.test(around)).toBe(false);
          }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are one small change for one changed word', () => {
    const before = 'one\ntwo\nthree\n';
    expect(textChanges(before, 'one\ntwice\nthree\n')).toEqual([{ start: 6, end: 7, text: 'ice' }]);
  });

  it('leave alone what lies between two changed places', () => {
    const before = Array.from({ length: 400 }, (_, index) => `line ${index}`).join('\n');
    const after = before.replace('line 3\n', 'line three\n').replace('line 390\n', '');
    expect(textChanges(before, after)).toHaveLength(2);
  });

  it('are none between equal texts', () => {
    expect(textChanges('same\r\n', 'same\r\n')).toEqual([]);
  });

  it('are found quickly in long texts', () => {
    const before = 'const value = 1;\n'.repeat(200_000);
    const after = `${before.slice(0, 1_700_000)}new line\n${before.slice(1_700_000)}`;
    const started = performance.now();
    expect(applied(before, textChanges(before, after))).toBe(after);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

function applied(before: string, changes: TextChange[]): string {
  let after = '';
  let at = 0;
  for (const { start, end, text } of changes) {
    after += before.slice(at, start) + text;
    at = end;
  }
  return after + before.slice(at);
}
