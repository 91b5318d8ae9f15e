import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AlternateScreenWatch } from '../../src/shell/render/escape-scan.ts';

const entering = ['\x1b[?1049h', '\x1b[?47h', '\x1b[?1047h', '\x1b[?1;1049h', '\x1b[?1049;25h'];
const others = [
  '\x1b[?1049l',
  '\x1b[?25h',
  '\x1b[?11049h',
  '\x1b[1049h',
  '\x1b[?1049',
  '[?1049h',
  '\x1b[?1049mh',
];

test.each(entering)('%j goes to the alternate screen, wherever the stream is cut', (sequence) => {
  const bytes = Buffer.from(`\x1b[31mtext\x1b${sequence}more`);
  const last = bytes.indexOf('more');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const watch = new AlternateScreenWatch();
    expect(watch.feed(bytes.subarray(0, cut))).toBe(cut >= last);
    expect(watch.feed(bytes.subarray(cut))).toBe(true);
    expect(watch.feed(Buffer.from('later'))).toBe(true);
  }
});

test.each(others)('%j does not', (sequence) => {
  const watch = new AlternateScreenWatch();
  for (const byte of Buffer.from(`${sequence} text`)) expect(watch.feed(Buffer.from([byte]))).toBe(false);
});

test('cut into any chunks, the answer is that of the whole', () => {
  const text = fc
    .array(
      fc.constantFrom(
        ...others,
        ...entering.slice(0, 1),
        'plain',
        '\x1b',
        '\r\n',
        '\u00e9',
        '\x1b[K',
        '1049h',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 80, maxLength: 80 }),
      (whole, sizes) => {
        const bytes = Buffer.from(whole);
        const watch = new AlternateScreenWatch();
        let answer = false;
        let start = 0;
        for (const size of sizes) {
          answer = watch.feed(bytes.subarray(start, start + size));
          start += size;
        }
        expect(start).toBeGreaterThanOrEqual(bytes.length);
        expect(answer).toBe(new AlternateScreenWatch().feed(bytes));
        expect(answer).toBe(whole.includes('\x1b[?1049h'));
      },
    ),
    { numRuns: 500 },
  );
});
