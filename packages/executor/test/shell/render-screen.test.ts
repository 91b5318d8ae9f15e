import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { renderText } from '../../src/shell/render/render-text.ts';
import { Screen } from '../../src/shell/render/screen.ts';

const screens: Screen[] = [];

afterEach(() => {
  for (const screen of screens.splice(0)) screen.dispose();
});

function open(cols = 80, rows = 24): Screen {
  const screen = new Screen({ cols, rows });
  screens.push(screen);
  return screen;
}

describe('the normal screen', () => {
  test.each([
    ['nothing', '', ''],
    ['lines, without blanks and blank lines at the end', 'a  \r\n\r\n b\r\n\r\n', 'a\n\n b'],
    ['cursor up', 'one\r\ntwo\r\n\x1b[2A\x1b[2Kdone\r\n\x1b[Bend', 'done\ntwo\nend'],
    ['addressing', '\x1b[3;5Hx\x1b[1;1Hy', 'y\n\n    x'],
    ['inserted and deleted', 'abc\r\x1b[2@\x1b[3Cx\r\nabcdef\r\x1b[2P', '  axc\ncdef'],
    ['saved cursor', 'ab\x1b7\r\nxy\x1b8c', 'abc\nxy'],
    ['line drawing', '\x1b(0lqk\x1b(B', '┌─┐'],
    ['wide emoji', '\u{1f600}a\x1b[3Gb', '\u{1f600}b'],
    ['combining', 'e\u0301x', 'e\u0301x'],
    ['clear', 'a\r\nb\x1b[H\x1b[2J\x1b[3Jc', 'c'],
  ])('%s', async (_name, bytes, expected) => {
    const screen = open();
    await screen.write(Buffer.from(bytes));
    expect(screen.text()).toBe(expected);
  });

  test('joins wrapped lines, wide characters at the margin too', async () => {
    const screen = open(10, 5);
    await screen.write(Buffer.from(`${'0123456789'.repeat(30)}\r\n${'日本語'.repeat(9)}\r\nab cd     ef`));
    expect(screen.text()).toBe(`${'0123456789'.repeat(30)}\n${'日本語'.repeat(9)}\nab cd     ef`);
  });

  test('keeps the last ten thousand lines', async () => {
    const screen = open(20, 10);
    await screen.write(
      Buffer.from(Array.from({ length: 30_000 }, (_, index) => `line ${index}\r\n`).join('')),
    );
    const lines = screen.text().split('\n');
    expect(lines.at(-1)).toBe('line 29999');
    expect(lines.length).toBe(10_009);
  });

  test('decodes across writes, and shows broken bytes as replacements', async () => {
    const screen = open();
    const bytes = Buffer.from('日\u{1f600}');
    for (const byte of bytes) void screen.write(Buffer.from([byte]));
    await screen.write(Buffer.from([0xff, 0x61]));
    expect(screen.text()).toBe('日\u{1f600}\ufffda');
  });

  test('is empty before the first write, and takes its size from the last resize', async () => {
    const screen = open(80);
    expect(screen.text()).toBe('');
    expect(screen.isAlternate).toBe(false);
    screen.resize({ cols: 5, rows: 3 });
    await screen.write(Buffer.from('12345678\x1b[1;999Hx'));
    screen.resize({ cols: 40, rows: 3 });
    expect(screen.text()).toBe('1234x678');
  });
});

describe('the alternate screen', () => {
  test('is what counts while it is shown, and gone afterwards', async () => {
    const screen = open(20, 5);
    await screen.write(Buffer.from('$ vim\r\n\x1b[?1049h\x1b[H\x1b[2J~\r\n~\x1b[5;3Hstatus  '));
    expect(screen.isAlternate).toBe(true);
    expect(screen.text()).toBe('~\n~\n\n\n  status');
    expect(screen.textSinceMark()).toBe('~\n~\n\n\n  status');
    await screen.write(Buffer.from('\x1b[?1049lback'));
    expect(screen.isAlternate).toBe(false);
    expect(screen.text()).toBe('$ vim\nback');
  });
});

describe('the mark', () => {
  test('gives only what is in its line and below', async () => {
    const screen = open(20, 6);
    await screen.write(Buffer.from('a\r\nb\r\n'));
    screen.mark();
    await screen.write(Buffer.from(`c\r\n${'d'.repeat(30)}\r\n\x1b[3Ae\r\x1b[3Bf`));
    expect(screen.text()).toBe(`a\nb\ne\n${'d'.repeat(30)}\nf`);
    expect(screen.textSinceMark()).toBe(`e\n${'d'.repeat(30)}\nf`);
    screen.mark();
    expect(screen.textSinceMark()).toBe('f');
  });

  test('before the first write is the beginning', async () => {
    const screen = open();
    screen.mark();
    await screen.write(Buffer.from('a\r\nb'));
    expect(screen.textSinceMark()).toBe('a\nb');
  });

  test('set on the alternate screen is where the normal screen goes on', async () => {
    const screen = open();
    await screen.write(Buffer.from('a\r\n\x1b[?1049hfull'));
    screen.mark();
    await screen.write(Buffer.from('\x1b[?1049lb\r\nc'));
    expect(screen.textSinceMark()).toBe('b\nc');
  });

  test('whose line is gone means everything there is', async () => {
    const screen = open(20, 5);
    await screen.write(Buffer.from('a\r\n'));
    screen.mark();
    await screen.write(Buffer.from('b\x1b[H\x1b[2J\x1b[3Jc\r\nd'));
    expect(screen.textSinceMark()).toBe('c\nd');
  });
});

test('big input leaves the event loop free', async () => {
  const screen = open();
  await screen.write(Buffer.from('loaded'));
  const bytes = Buffer.from('some \x1b[31mcoloured\x1b[0m text in a line\r\n'.repeat(50_000));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await screen.write(bytes);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});

test('disposing ends a write that is under way', async () => {
  const screen = open();
  await screen.write(Buffer.from('loaded'));
  const written = screen.write(Buffer.from('text\r\n'.repeat(1_000_000)));
  await setImmediate();
  screen.dispose();
  await written;
  await screen.write(Buffer.from('nothing any more'));
});

test('on simple output the fast renderer and the screen agree', async () => {
  const part = fc.constantFrom(
    ...[
      [
        'a',
        'word ',
        'x'.repeat(30),
        '  ',
        '\r\n',
        '\r\n',
        '\r',
        '\r',
        '\b',
        '\b\b\b',
        '\t',
        '日本',
        '\u{1f600}',
        'é',
      ],
      [
        '\x1b[31m',
        '\x1b[0m',
        '\x1b[K',
        '\x1b[1K',
        '\x1b[2K',
        '\x1b[J',
        '\x1b[3X',
        '\x1b[2C',
        '\x1b[4D',
        '\x1b[7G',
        '\x1b[G',
      ],
      [
        '\x1b]0;title\x07',
        '\x1b]8;;http://x\x1b\\',
        '\x1bPq#0\x1b\\',
        '\x1b(B',
        '\x1b[?25l',
        '\x1b[?2004h',
        '\x1b=',
        '\x07',
        '\0',
      ],
      ['\f', '\v', '\x1b[H\x1b[2J\x1b[3J', '\x1bc', '\x1b[6n', '\x01\x7f'],
    ].flat(),
  );
  const texts = fc
    .sample(fc.array(part, { maxLength: 25 }), { numRuns: 400, seed: 7 })
    .map((parts) => parts.join(''));
  for (const text of texts) {
    const screen = open(1200, 60);
    await screen.write(Buffer.from(text));
    const rendered = renderText(Buffer.from(text));
    expect(rendered, JSON.stringify(text)).toBeDefined();
    expect(asOnScreen(rendered!), JSON.stringify(text)).toBe(screen.text());
    screen.dispose();
  }
}, 30_000);

/** Tabs as columns, without the blanks and blank lines at the end. */
function asOnScreen(text: string): string {
  return text.split('\n').map(expandTabs).join('\n').trimEnd();
}

function expandTabs(line: string): string {
  let column = 0;
  let expanded = '';
  for (const character of line) {
    const width = character === '\t' ? 8 - (column % 8) : /[日本\u{1f600}]/u.test(character) ? 2 : 1;
    expanded += character === '\t' ? ' '.repeat(width) : character;
    column += width;
  }
  return expanded.trimEnd();
}
