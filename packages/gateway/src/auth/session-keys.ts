import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isSameSecret } from './digest.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';
import { type Refusal, refused } from './identity.ts';

const secretBytes = 32;
const pattern = /^fs_([a-z][a-z0-9]{19})_[\w-]{43}$/;

/** Keys that each open one session. They follow from one secret and are stored nowhere. */
export class SessionKeys {
  readonly #secret: Buffer;

  /** Reads the secret of a state directory, or makes it at the first start. */
  static open(stateDir: string): SessionKeys {
    const path = join(stateDir, 'secret');
    const secret = readPrivateFile(path) ?? makeSecret(path);
    if (secret.length !== secretBytes) {
      throw new Error(
        `${path} has ${secret.length} bytes instead of ${secretBytes}. Restore it, or remove it: ` +
          `then every session gets another key.`,
      );
    }
    return new SessionKeys(secret);
  }

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  keyOf(sessionId: string): string {
    const proof = createHmac('sha256', this.#secret).update(`session:${sessionId}`).digest('base64url');
    return `fs_${sessionId}_${proof}`;
  }

  /** A secret of its own for other things that are signed. */
  deriveSecret(purpose: string): Buffer {
    return createHmac('sha256', this.#secret).update(`derive:${purpose}`).digest();
  }

  /** Whether there is still such a session, it does not know. */
  verify(text: string): { kind: 'verified'; sessionId: string } | Refusal {
    const sessionId = pattern.exec(text)?.[1];
    if (sessionId === undefined) return refused('malformed');
    return isSameSecret(text, this.keyOf(sessionId))
      ? { kind: 'verified', sessionId }
      : refused('unknown', { sessionId });
  }
}

function makeSecret(path: string): Buffer {
  const secret = randomBytes(secretBytes);
  // Another process may have made it at the same time.
  return createPrivateFile(path, secret) ? secret : (readPrivateFile(path) ?? secret);
}
