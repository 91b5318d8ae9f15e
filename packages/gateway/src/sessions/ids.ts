import { randomBytes } from 'node:crypto';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const alphabet = `${letters}0123456789`;

/** A hundred random bits that fit a path, a host name and a Unix socket's short address. */
export function newSessionId(): string {
  return pick(letters, 1) + pick(alphabet, 19);
}

export function newActionId(): string {
  return pick(alphabet, 24);
}

/** Bytes that would favour the first letters are thrown away. */
function pick(from: string, length: number): string {
  const fair = 256 - (256 % from.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(2 * length)) {
      if (byte < fair && text.length < length) text += from[byte % from.length];
    }
  }
  return text;
}
