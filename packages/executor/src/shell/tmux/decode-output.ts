const backslash = 0x5c;
const zero = 0x30;

/** Undoes the octal escapes (`\015`) in which tmux's control mode writes a pane's bytes. */
export function decodeOutput(escaped: Buffer): Buffer {
  const first = escaped.indexOf(backslash);
  if (first === -1) return Buffer.from(escaped);
  const decoded = Buffer.allocUnsafe(escaped.length);
  escaped.copy(decoded, 0, 0, first);
  let length = first;
  for (let at = first; at < escaped.length; at += 1) {
    const byte = escaped[at] as number;
    if (byte === backslash && at + 3 < escaped.length) {
      decoded[length] = octal(escaped, at + 1);
      at += 3;
    } else {
      decoded[length] = byte;
    }
    length += 1;
  }
  return decoded.subarray(0, length);
}

function octal(bytes: Buffer, at: number): number {
  const digit = (offset: number) => (bytes[at + offset] as number) - zero;
  return digit(0) * 64 + digit(1) * 8 + digit(2);
}
