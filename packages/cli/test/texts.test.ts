import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { PlainOutput } from '../src/plain-output.ts';
import { shellText } from '../src/shell-text.ts';
import { facts, table } from '../src/table.ts';
import { TerminalModes, withoutQueries } from '../src/terminal-modes.ts';

describe('the words of a command', () => {
  it('are shell text when there is one of them', () => {
    expect(shellText(['cd demo && make "all"'])).toBe('cd demo && make "all"');
  });

  it('reach a program as they are when there are several', () => {
    const words = ['printf', '[%s]', 'a b', "it's", '$HOME', '*', '', '-x', 'A=b', '"', '\\', 'new\nline'];
    const echoed = execFileSync('bash', ['-c', shellText(words)], { encoding: 'utf8' });
    expect(echoed).toBe(
      words
        .slice(2)
        .map((word) => `[${word}]`)
        .join(''),
    );
  });

  it('stay readable where nothing needs quoting', () => {
    expect(shellText(['ls', '-la', './src', 'A=1'])).toBe('ls -la ./src A=1');
  });
});

describe('terminal output for a file', () => {
  const text =
    'one\r\n\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\r\n\x1b(B\x1b=50%\r100%\r\n';
  const plain = 'one\nred link\n50%\r100%\n';

  it('has no sequences, and the line ends of files', () => {
    const output = new PlainOutput();
    expect(output.push(text) + output.end()).toBe(plain);
  });

  it('is the same however it is cut into pieces', () => {
    for (let size = 1; size < 12; size += 1) {
      const output = new PlainOutput();
      let shown = '';
      for (let at = 0; at < text.length; at += size) shown += output.push(text.slice(at, at + size));
      expect(shown + output.end(), `pieces of ${size}`).toBe(plain);
    }
  });

  it('keeps text behind something that only begins like a sequence', () => {
    const output = new PlainOutput();
    const long = 'x'.repeat(5000);
    expect(output.push(`\x1b]${long}`) + output.end()).toBe(`]${long}`);
    expect(output.push('\x1b\x01tail') + output.end()).toBe('\x01tail');
  });
});

describe('a terminal that is given back', () => {
  it('gets back the modes that the other side has switched, and only those', () => {
    const modes = new TerminalModes();
    modes.follow('\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1000;1006h\x1b[?2004l\x1b=');
    expect(modes.restoring()).toBe('\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1006l\x1b>\x1b[0m');
  });

  it('is left alone when all was switched back', () => {
    const modes = new TerminalModes();
    modes.follow('\x1b[?1049h\x1b[?25l text \x1b[?25h\x1b[?1049l');
    expect(modes.restoring()).toBe('\x1b[0m');
  });

  it('notices a sequence that came in two pieces', () => {
    const modes = new TerminalModes();
    for (const piece of ['\x1b', '[?10', '49', 'h']) modes.follow(piece);
    expect(modes.restoring()).toBe('\x1b[?1049l\x1b[0m');
  });

  it('is not asked what was asked long ago', () => {
    const history =
      'a\x1b[cb\x1b[>0cc\x1b[6nd\x1b]11;?\x07e\x1b]10;?\x1b\\f\x1bP+q544e\x1b\\g\x1b[?2026$ph\x05i';
    expect(withoutQueries(history)).toBe('abcdefghi');
    const kept = '\x1b[31mred\x1b[0m\x1b[2K\x1b]0;title\x07\x1b]8;;http://x\x07';
    expect(withoutQueries(kept)).toBe(kept);
  });
});

describe('tables', () => {
  it('are aligned by what is seen, not by what is sent', () => {
    const rows = [
      ['\x1b[32mok\x1b[39m', 'a'],
      ['longer', 'Grüße'],
    ];
    expect(table(['S', 'NAME'], rows)).toBe('S       NAME\n\x1b[32mok\x1b[39m      a\nlonger  Grüße');
    expect(
      facts([
        ['a', '1'],
        ['long', ''],
      ]),
    ).toBe('a     1\nlong');
  });
});
