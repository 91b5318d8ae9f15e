import { randomBytes, randomInt } from 'node:crypto';

const lettersAndDigits = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A name that is no secret. */
export function randomId(length: number): string {
  return Array.from({ length }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]).join('');
}

/** 256 bits in 43 characters that fit a header, a cookie and a URL. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
