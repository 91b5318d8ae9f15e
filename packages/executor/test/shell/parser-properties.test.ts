import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Marker, MarkerParser } from '../../src/shell/markers.ts';
import { OutputBuffer } from '../../src/shell/output-buffer.ts';
import { incompleteTailLength } from '../../src/shell/render/incomplete-tail.ts';
import { decodeOutput } from '../../src/shell/tmux/decode-output.ts';

const secret = '0123456789abcdef0123456789abcdef';
const otherSecret = 'ffffffffffffffffffffffffffffffff';

/** Whole reports, near-reports and anything else, one after the other. */
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'grapheme', maxLength: 10 }).map((text) => Buffer.from(text)),
  fc.constantFrom(
    report('E', 3, 0, '', 'himBHs', '', '/tmp/a;b'),
    report('S', 4),
    report('P', 4, 1, 77, '', '/tmp/ü\r\nx'),
    report('R'),
    report('D', 137),
    report('nonsense'),
    Buffer.from(`\x1b]7717;${otherSecret};E;3;0;;;;/;${otherSecret}\x07`),
    Buffer.from(`\x1b]7717;${secret};E;3;0`),
    Buffer.from(`\x1b]7717;${secret.slice(0, 20)}`),
    Buffer.from('\x1b]7717;'),
    Buffer.from('\x1b'),
    Buffer.from(`;${secret}\x07`),
    Buffer.from('###PS1JSON###\n{}\n###PS1END###\n'),
  ),
);
const stream = fc.array(piece, { maxLength: 20 }).map((pieces) => Buffer.concat(pieces));

describe('the parser of reports', () => {
  test('finds the same, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), (bytes, cuts) => {
        expect(parse(cut(bytes, cuts))).toEqual(parse([bytes]));
      }),
      { numRuns: 2000 },
    );
  });

  test('finds the same byte by byte', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        expect(parse([...bytes].map((byte) => Buffer.from([byte])))).toEqual(parse([bytes]));
      }),
      { numRuns: 500 },
    );
  });

  test('hands on every byte that is no report, in order', () => {
    const noise = fc
      .array(piece, { maxLength: 10 })
      .map((pieces) => Buffer.concat(pieces))
      .filter((bytes) => !bytes.includes(secret));
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 20 }), (parts, cuts) => {
        const end = report('E', 9, 2, '', '', '', '/');
        // An escape at the very end may be the beginning of the report behind it: that is no loss.
        const bytes = Buffer.concat(parts.flatMap((part) => [part, Buffer.from('.'), end]));
        const { output, markers } = parse(cut(bytes, cuts));
        expect(output.toString('latin1')).toBe(
          Buffer.concat(parts.flatMap((part) => [part, Buffer.from('.')])).toString('latin1'),
        );
        expect(markers).toHaveLength(parts.length);
      }),
      { numRuns: 1000 },
    );
  });

  test('believes no report with another secret', () => {
    const forged = fc
      .tuple(fc.constantFrom('E', 'P', 'D', 'S', 'X'), fc.nat(), fc.stringMatching(/^[0-9a-f]{32}$/))
      .filter(([, , guess]) => guess !== secret)
      .map(([kind, n, guess]) => Buffer.from(`\x1b]7717;${guess};${kind};${n};0;;;;/;${guess}\x07`));
    fc.assert(
      fc.property(forged, (bytes) => {
        expect(parse([bytes])).toEqual({ output: bytes, markers: [] });
      }),
    );
  });

  test('gives up on a report that never ends', () => {
    const endless = Buffer.concat([Buffer.from(`\x1b]7717;${secret};E;`), Buffer.alloc(70_000, 'x')]);
    expect(parse([endless]).output).toHaveLength(endless.length);
  });

  test('reads a directory with separators and newlines in its name', () => {
    const { markers } = parse([report('E', 1, 0, '', 'him', '/usr/bin/python', '/a;b\r\nc')]);
    expect(markers).toEqual([
      {
        kind: 'ended',
        n: 1,
        exitCode: 0,
        backgroundPid: null,
        options: 'him',
        python: '/usr/bin/python',
        directory: '/a;b\nc',
      },
    ]);
  });
});

describe('the output that is kept', () => {
  const headLimit = 256 * 1024;

  test('is everything in order while it is small, and its two ends in bounded memory when it is not', () => {
    const sizes = fc.array(fc.oneof(fc.nat(2000), fc.nat(3_000_000)), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (chunkSizes) => {
        const buffer = new OutputBuffer();
        const chunks = chunkSizes.map((size, index) => Buffer.alloc(size, `${index}\nabc`));
        for (const chunk of chunks) buffer.append(chunk);
        const { head, tail, droppedBytes, newlines } = buffer.take();
        const all = Buffer.concat(chunks);
        expect(head.equals(all.subarray(0, headLimit))).toBe(true);
        expect(tail.equals(all.subarray(all.length - tail.length))).toBe(true);
        expect(head.length + tail.length + droppedBytes).toBe(all.length);
        expect(tail.length).toBeLessThan(20_000_000);
        expect(newlines).toBe(all.toString('latin1').split('\n').length - 1);
        const again = buffer.take();
        expect([again.head.length, again.tail.length, again.droppedBytes, again.newlines]).toEqual([
          0, 0, 0, 0,
        ]);
      }),
      { numRuns: 25 },
    );
  });
});

describe("tmux's escaping", () => {
  test('is undone for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(decodeOutput(escapeAsTmux(bytes)).equals(bytes)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what is incomplete at the end', () => {
  const character = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 1 })
    .filter((text) => text.isWellFormed());

  test('is nothing behind whole text', () => {
    fc.assert(
      fc.property(fc.array(character.filter((text) => text !== '\x1b')), (characters) => {
        expect(incompleteTailLength(Buffer.from(characters.join('')))).toBe(0);
      }),
    );
  });

  test('is what there is of a character', () => {
    fc.assert(
      fc.property(fc.string(), character, fc.nat(), (before, text, cutAt) => {
        const bytes = Buffer.from(text);
        const kept = cutAt % bytes.length;
        fc.pre(kept > 0 && !before.includes('\x1b'));
        expect(incompleteTailLength(Buffer.concat([Buffer.from(before), bytes.subarray(0, kept)]))).toBe(
          kept,
        );
      }),
    );
  });

  test('is what there is of a control sequence', () => {
    const sequences = ['\x1b[38;5;200m', '\x1b[?1049h', '\x1b]0;title\x07', '\x1b(B', '\x1b[2J'];
    fc.assert(
      fc.property(fc.constantFrom(...sequences), fc.nat(), (sequence, cutAt) => {
        const kept = 1 + (cutAt % (sequence.length - 1));
        expect(incompleteTailLength(Buffer.from(`text${sequence.slice(0, kept)}`))).toBe(kept);
        expect(incompleteTailLength(Buffer.from(`text${sequence}`))).toBe(0);
      }),
    );
  });
});

function report(...fields: (string | number)[]): Buffer {
  return Buffer.from(`\x1b]7717;${secret};${fields.join(';')};${secret}\x07`);
}

/** What a parser makes of the chunks; a longer beginning of a report than any chunk is still held at the end. */
function parse(chunks: Buffer[]): { output: Buffer; markers: Marker[] } {
  const output: Buffer[] = [];
  const markers: Marker[] = [];
  const parser = new MarkerParser(secret, {
    onOutput: (bytes) => output.push(Buffer.from(bytes)),
    onMarker: (marker) => markers.push(marker),
  });
  for (const chunk of chunks) parser.feed(chunk);
  return { output: Buffer.concat(output), markers };
}

function cut(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

function escapeAsTmux(bytes: Uint8Array): Buffer {
  const escaped = [...bytes].map((byte) =>
    byte < 0x20 || byte === 0x5c
      ? Buffer.from(`\\${byte.toString(8).padStart(3, '0')}`)
      : Buffer.from([byte]),
  );
  return Buffer.concat(escaped);
}
