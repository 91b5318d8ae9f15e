import { doubleByteEncodings, type Tally, tally } from './double-byte.ts';
import type { LegacyEncoding } from './encoding-names.ts';
import { controlShare } from './text-shape.ts';

const sampleBytes = 65_536;

/** Which of the encodings from before Unicode fits a sample that is not UTF-8; undefined when it is no text. */
export function guessLegacyEncoding(sample: Uint8Array): LegacyEncoding | undefined {
  if (controlShare(sample) > 0.01) return undefined;
  return guessDoubleByte(sample) ?? guessSingleByte(sample);
}

/** The part of a file that tells: a long English licence may come before it. */
export function sampleAroundFirstHighByte(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const lineStart = bytes.lastIndexOf(0x0a, first) + 1;
  const start = Math.max(lineStart, first - 1024);
  const sample = bytes.subarray(start, start + sampleBytes);
  if (sample.length < sampleBytes) return sample;
  // Ends with a whole line, hence a whole character.
  const end = sample.lastIndexOf(0x0a);
  return end > sampleBytes / 2 ? sample.subarray(0, end) : sample;
}

function guessDoubleByte(sample: Uint8Array): LegacyEncoding | undefined {
  const tallies = new Map<LegacyEncoding, Tally>();
  for (const encoding of doubleByteEncodings) {
    const counted = tally(sample, encoding);
    // In real text nearly every character is among the common ones of its own encoding, and few are in another's.
    if (counted !== undefined && counted.common / counted.characters >= 0.85)
      tallies.set(encoding.name, counted);
  }
  const kana = tallies.get('euc-jp');
  if (kana !== undefined && kana.telling / kana.characters > 0.1) return 'euc-jp';
  const hangul = tallies.get('euc-kr');
  if (hangul !== undefined && hangul.characters >= 4 && hangul.telling / hangul.characters > 0.9)
    return 'euc-kr';
  tallies.delete('euc-jp');
  tallies.delete('euc-kr');
  const best = [...tallies].sort(
    ([, left], [, right]) => right.common / right.characters - left.common / left.characters,
  )[0];
  return best?.[0];
}

function guessSingleByte(sample: Uint8Array): LegacyEncoding | undefined {
  let high = 0;
  let inLongRuns = 0;
  let run = 0;
  let upperRow = 0;
  let lowerRow = 0;
  for (const byte of sample) {
    if (byte < 0x80) {
      run = 0;
      continue;
    }
    high++;
    run++;
    // The third letter of a run makes its first two count as well.
    if (run >= 3) inLongRuns += run === 3 ? 3 : 1;
    if (byte >= 0xe0) upperRow++;
    else if (byte >= 0xc0) lowerRow++;
  }
  // Words written in high bytes are Cyrillic; its two encodings have their small letters in different rows.
  if (inLongRuns / high > 0.5) {
    if ((upperRow + lowerRow) / high < 0.8) return undefined;
    return upperRow > lowerRow ? 'windows-1251' : 'koi8-r';
  }
  if (high / sample.length > 0.5) return undefined;
  if (!sample.some((byte) => byte >= 0x80 && byte <= 0x9f)) return 'latin1';
  return sample.some((byte) => undefinedInWindows1252.has(byte)) ? undefined : 'windows-1252';
}

const undefinedInWindows1252 = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
