/**
 * UTF-8 text with a few bytes that do not belong: a log cut in the middle, a line from elsewhere. Such a byte is
 * carried as half a surrogate pair, which no text has, and so comes back as it was when the text is written again.
 */

const strayBase = 0xdc00;
const strays = /[\udc80-\udcff]/u;

export function isMostlyUtf8(sample: Uint8Array): boolean {
  let characters = 0;
  let stray = 0;
  for (let at = 0; at < sample.length;) {
    const length = sequenceLength(sample, at);
    if (length === 0) stray++;
    else if (length > 1) characters++;
    at += length || 1;
  }
  return characters > 2 * stray;
}

export function decodeWithStrays(buffer: Buffer): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < buffer.length;) {
    const length = sequenceLength(buffer, at);
    if (length === 0) {
      parts.push(buffer.toString('utf8', start, at), String.fromCharCode(strayBase + buffer[at]!));
      start = at + 1;
    }
    at += length || 1;
  }
  parts.push(buffer.toString('utf8', start));
  return parts.join('');
}

export function encodeWithStrays(text: string): Buffer {
  const parts = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part) => (strays.test(part) ? Buffer.of(part.charCodeAt(0) - strayBase) : Buffer.from(part))),
  );
}

/** How many bytes the character at this place has; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let index = 1; index < length; index++) if ((bytes[at + index] ?? 0) >>> 6 !== 0b10) return 0;
  const second = bytes[at + 1]!;
  const isOverlong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90);
  const isBeyond = (lead === 0xed && second > 0x9f) || (lead === 0xf4 && second > 0x8f);
  return isOverlong || isBeyond ? 0 : length;
}
