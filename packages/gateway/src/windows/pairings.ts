import { randomSecret } from '../auth/random-text.ts';

/** Who asked for it; the window is let in only while that is still valid. */
export interface PairingGrant {
  ownerId: string;
  keyId: string | null;
  loginHash?: string;
}

const lifetimeMs = 10 * 60_000;
const maxPerOwner = 100;

/** One-time codes that let a window in. They are not kept over a restart of the gateway. */
export class Pairings {
  /** In the order in which they end. */
  readonly #open = new Map<string, { grant: PairingGrant; expiresAtMs: number }>();

  issue(grant: PairingGrant, nowMs = Date.now()): { code: string; expiresAtMs: number } {
    for (const [code, { expiresAtMs }] of this.#open) if (expiresAtMs <= nowMs) this.#open.delete(code);
    const theirs = [...this.#open].filter(([, open]) => open.grant.ownerId === grant.ownerId);
    // Who asks for too many loses the oldest.
    if (theirs.length >= maxPerOwner) this.#open.delete(theirs[0]![0]);
    const code = randomSecret();
    const expiresAtMs = nowMs + lifetimeMs;
    this.#open.set(code, { grant, expiresAtMs });
    return { code, expiresAtMs };
  }

  /** Undefined for one that is unknown, used or too old. */
  redeem(code: string, nowMs = Date.now()): PairingGrant | undefined {
    const found = this.#open.get(code);
    this.#open.delete(code);
    return found !== undefined && found.expiresAtMs > nowMs ? found.grant : undefined;
  }
}
