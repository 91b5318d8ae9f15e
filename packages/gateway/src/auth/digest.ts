import { createHash, timingSafeEqual } from 'node:crypto';

/** Secrets are stored as this alone. They are random and long: a slow hash would protect nothing more. */
export function digestHex(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Takes as long for any text: digests are compared, which all have one length. */
export function hasDigest(secret: string, expectedHex: string): boolean {
  return timingSafeEqual(Buffer.from(digestHex(secret)), Buffer.from(expectedHex));
}

export function isSameSecret(given: string, expected: string): boolean {
  return hasDigest(given, digestHex(expected));
}
