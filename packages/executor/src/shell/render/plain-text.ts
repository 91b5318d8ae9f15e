import { isAscii } from 'node:buffer';

/** The text of output without any control but tabs and newlines, as most output is; undefined for other bytes. */
export function plainText(bytes: Buffer): string | undefined {
  const controls = bytes.includes(0x7f) ? undefined : countControls(bytes);
  if (controls === undefined) return;
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  // Each way to join the lines is several times faster than the other one on its kind of lines.
  const hasShortLines = controls * 32 > bytes.length;
  const text = hasShortLines
    ? withoutReturns(bytes).toString(encoding)
    : bytes.toString(encoding).replaceAll('\r\n', '\n');
  return encoding === 'utf8' && /[\x80-\x9f]/.test(text) ? undefined : text;
}

/** Roughly how many control characters there are; undefined if one is no tab, no newline and not `\r\n`. */
function countControls(bytes: Buffer): number | undefined {
  const head = Math.min(bytes.length, (4 - (bytes.byteOffset % 4)) % 4);
  const count = (bytes.length - head) >> 2;
  // Even an empty view must begin at a multiple of four, which a few odd bytes do not reach.
  const words = new Uint32Array(bytes.buffer, count === 0 ? 0 : bytes.byteOffset + head, count);
  if (hasSpecial(bytes, 0, head) || hasSpecial(bytes, head + words.length * 4, bytes.length)) return;
  let controls = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    // Not zero when one of the four bytes is below 0x20.
    if (((word - 0x20202020) & ~word & 0x80808080) === 0) continue;
    const start = head + index * 4;
    if (hasSpecial(bytes, start, start + 4)) return;
    controls += 1;
  }
  return controls;
}

function hasSpecial(bytes: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index]!;
    if (byte >= 0x20 || byte === 0x0a || byte === 0x09) continue;
    if (byte !== 0x0d || bytes[index + 1] !== 0x0a) return true;
  }
  return false;
}

function withoutReturns(bytes: Buffer): Buffer {
  const rest = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    rest[length] = byte;
    length += byte === 0x0d ? 0 : 1;
  }
  return rest.subarray(0, length);
}
