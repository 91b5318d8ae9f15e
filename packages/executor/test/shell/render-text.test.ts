import { describe, expect, test } from 'vitest';
import { renderText } from '../../src/shell/render/render-text.ts';

const link = '\x1b]8;;https://example.org/\x1b\\';

describe('simple output is the text a person would see', () => {
  test.each([
    ['nothing', '', ''],
    ['plain lines', 'a\r\nb\r\n', 'a\nb\n'],
    ['bare newlines', 'a\nb', 'a\nb'],
    ['blanks as printed', '  a  \r\n\t\tb\t\r\n \r\n', '  a  \n\t\tb\t\n \n'],
    ['several returns before the newline', 'a\r\r\r\nb', 'a\nb'],
    ['a progress bar', '\r[#   ] 25%\r[##  ] 50%\r[####] 100%\r\nok\r\n', '[####] 100%\nok\n'],
    ['a shorter text over a longer one', 'downloading\rdone\r\n', 'doneloading\n'],
    ['a return at the end', 'abc\r', 'abc'],
    ['a spinner', '|\b/\b-\b\\\b \b\r\ndone', ' \ndone'],
    ['backspaces', 'abc\b\bX', 'aXc'],
    ['backspaces at the start', '\b\b\ba', 'a'],
    ['man page bold and underline', 'N\bNA\bA _\bx', 'NA x'],
    ['colours', '\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[m \x1b[38:5:9mc\x1b[K\r\n', 'red true c\n'],
    ['erase to the end', 'downloading\rdone\x1b[K\r\n', 'done\n'],
    ['erase to the end, with 0', 'abcdef\x1b[3D\x1b[0K', 'abc'],
    ['erase to the start', 'abcdef\x1b[3D\x1b[1K', '    ef'],
    ['erase the line', 'abc\x1b[2K\rx', 'x'],
    ['erase the line, column kept', 'abc\x1b[2Kx', '   x'],
    ['erase the display below', 'abc\r\x1b[Jx', 'x'],
    ['erase characters', 'abcdef\r\x1b[3Xx', 'x  def'],
    ['columns', 'ab\x1b[5GX\x1b[2CY\x1b[1GZ', 'Zb  X  Y'],
    ['a title', '\x1b]0;user@host: ~\x07$ ls\x1b]2;t\x1b\\!', '$ ls!'],
    ['a link', `see ${link}the docs\x1b]8;;\x1b\\.`, 'see the docs.'],
    ['a title of tmux', '\x1bkname\x1b\\x', 'x'],
    ['device strings', 'a\x1bP1$r0m\x1b\\b\x1b_app\x1b\\c\x1b^pm\x1b\\d\x1bXs\x1b\\e', 'abcde'],
    ['a string that never ends', 'a\x1b]0;title\r\nlost', 'a'],
    [
      'modes',
      '\x1b[?2004h\x1b[?25la\x1b[?25h\x1b[?1004h\x1b[?1l\x1b>\x1b=\x1b[4l\x1b[>4;1m\x1b[>1u\x1b[!pb',
      'ab',
    ],
    ['character sets', '\x1b(B\x1b)B\x0fa\x1b[m\x1b(B', 'a'],
    ['queries', 'a\x1b[6n\x1b[c\x1b[>c\x1b[?u\x1b[5 qb', 'ab'],
    ['bells, NUL and other controls', 'a\x07\x00\x01\x02\x1a\x7fb', 'ab'],
    ['form feed and vertical tab', 'a\fb\vc', 'a\n b\n  c'],
    ['clear', 'old\r\nolder\x1b[H\x1b[2J\x1b[3Jnew\r\n', 'new\n'],
    ['clear, in another order', 'old\x1b[3J\x1b[2J\x1b[1;1Hnew', 'new'],
    ['clear of a simple terminal', 'old\x1b[H\x1b[Jnew', 'new'],
    ['clear with colours between', 'old\x1b[H\x1b[m\x1b[2Jnew', 'new'],
    ['clear twice', 'a\x1b[H\x1b[2Jb\x1b[H\x1b[2Jc', 'c'],
    ['reset', 'old\x1bc\x1b]104\x07\x1b[!p\x1b[?3;4lnew', 'new'],
    ['wide characters', '日本語\rab', 'ab本語'],
    ['half of a wide character', '日本\b\bx\r\n\u{1f600}\bx', '日x \n x'],
    ['combining characters', 'e\u0301a\bX', 'e\u0301X'],
    ['an overwritten tab', 'a\tb\rxyz', 'xyz     b'],
    ['a tab behind overwritten text', 'a\tb\rx', 'x\tb'],
    ['a tab over text', 'abcdefghij\r\tX', 'abcdefghXj'],
    ['a sequence cut off by the end', 'a\x1b[3', 'a'],
    ['an escape at the end', 'a\x1b', 'a'],
    ['emoji', '\u{1f468}\u200d\u{1f469} ok\r\n', '\u{1f468}\u200d\u{1f469} ok\n'],
  ])('%s', (_name, bytes, expected) => {
    expect(renderText(Buffer.from(bytes))).toBe(expected);
  });
});

describe('bytes that are no UTF-8 become replacement characters', () => {
  test.each([
    ['half a character', [0x61, 0xe6, 0x97], 'a\ufffd'],
    ['half a character in coloured text', [0x1b, 0x5b, 0x6d, 0xe6, 0x97, 0x61], '\ufffda'],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9, 0x0d, 0x0a], 'caf\ufffd\n'],
    ['no character at all', [0xff, 0xfe, 0x00, 0x61], '\ufffd\ufffda'],
  ])('%s', (_name, bytes, expected) => {
    expect(renderText(Buffer.from(bytes))).toBe(expected);
  });
});

describe('output that needs a screen', () => {
  test.each(
    [
      [
        '\x1b[A',
        '\x1b[2B',
        '\x1b[E',
        '\x1b[F',
        '\x1b[5;5H',
        '\x1b[H',
        '\x1b[3;1f',
        '\x1b[4d',
        '\x1b[2J',
        '\x1b[1J',
      ],
      [
        '\x1b[L',
        '\x1b[M',
        '\x1b[2P',
        '\x1b[@',
        '\x1b[S',
        '\x1b[T',
        '\x1b[2;5r',
        '\x1b[s',
        '\x1b[u',
        '\x1b[3b',
        '\x1b[4h',
      ],
      [
        '\x1b7',
        '\x1b8',
        '\x1bM',
        '\x1bD',
        '\x1bE',
        '\x1b#8',
        '\x1b(0',
        '\x1b[?1049h',
        '\x1b[?47h',
        '\x1b[?1;1047h',
      ],
      ['\x1b[?1049l', '\x1b[?6h', '\x1b[999C', '\x1b[3\n1m', '\u009b5A'],
    ].flat(),
  )('%j', (sequence) => {
    expect(renderText(Buffer.from(`a\r\nb${sequence}c`))).toBeUndefined();
  });
});

test('a slice of a buffer is read at its own place', () => {
  const whole = Buffer.from('\x1b[Axabcdefgh\r\nij\x1b[A');
  for (let start = 4; start < 9; start += 1) {
    for (let end = 14; end < 17; end += 1) {
      const part = whole.subarray(start, end);
      expect(renderText(part)).toBe(part.toString().replace('\r\n', '\n'));
    }
  }
});

describe('hard cases take time in proportion', () => {
  const megabyte = 1_000_000;
  test.each([
    ['a long line with many returns', 'x'.repeat(megabyte) + '\rabc'.repeat(100_000)],
    ['many returns in a row', `${'\r'.repeat(megabyte)}x\n`.repeat(2)],
    ['many backspaces', 'ab\b'.repeat(megabyte / 4)],
    ['many titles that never end', '\x1b]0;x'.repeat(megabyte / 5)],
    ['many erasures', `${'x'.repeat(megabyte)}${'\r\x1b[2Kab\x1b[K'.repeat(50_000)}`],
    ['many partial erasures', `${'x'.repeat(megabyte)}${'\x1b[1K'.repeat(50_000)}`],
    ['many clears', 'x\x1b[H\x1b[2J'.repeat(100_000)],
    ['many homes in a row', '\x1b[H'.repeat(megabyte / 3)],
    ['many parameters', `\x1b[${'1;'.repeat(megabyte / 2)}m`],
    [
      'random bytes',
      Buffer.from(Array.from({ length: megabyte }, (_, index) => (index * index * 31) % 251)).toString(
        'latin1',
      ),
    ],
  ])('%s', (_name, text) => {
    const bytes = Buffer.from(text);
    const start = performance.now();
    renderText(bytes);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
