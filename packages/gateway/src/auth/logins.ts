import { Tickets } from '@fairlead/http';
import type { LoginRecord, Store } from '../store/store.ts';
import { loginLifetimeSeconds } from './cookies.ts';
import { digestHex } from './digest.ts';
import { randomSecret } from './random-text.ts';
import { type Refusal, refused } from './identity.ts';

/** What a ticket, and the cookie it is exchanged for, open. */
export interface Grant {
  ownerId: string;
  /** The login ends with this key; null when it came from a session's key. */
  keyId: string | null;
  sessionId: string | null;
}

/** Browsers: a ticket that is used once, and the cookie that they get for it. */
export class Logins {
  readonly #store: Store;
  readonly #nowMs: () => number;
  readonly #tickets = new Tickets<Grant>();

  constructor(store: Store, nowMs: () => number = Date.now) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  issueTicket({ ownerId, keyId, sessionId }: Grant): string {
    return this.#tickets.issue({ ownerId, keyId, sessionId }, this.#nowMs());
  }

  async redeemTicket(ticket: string): Promise<Granted | Refusal> {
    const grant = this.#tickets.redeem(ticket, this.#nowMs());
    return grant === undefined ? refused('unknown') : this.#check(grant);
  }

  /** The value of the new cookie. */
  async begin({ ownerId, keyId, sessionId }: Grant): Promise<string> {
    const value = randomSecret();
    const expiresAt = this.#time(loginLifetimeSeconds);
    await this.#store.logins.add({ hash: digestHex(value), ownerId, keyId, sessionId, expiresAt });
    return value;
  }

  /** Found by its digest: how long that takes tells nothing of the value. */
  async verify(cookieValue: string): Promise<Granted | Refusal> {
    const login = await this.#store.logins.find(digestHex(cookieValue));
    if (login === undefined) return refused('unknown');
    return login.expiresAt > this.#time() ? this.#check(login) : refused('expired', login);
  }

  async end(cookieValue: string): Promise<void> {
    await this.#store.logins.remove(digestHex(cookieValue));
  }

  async #check({ ownerId, keyId, sessionId }: Grant | LoginRecord): Promise<Granted | Refusal> {
    const grant = { ownerId, keyId, sessionId };
    if (keyId === null) return { kind: 'granted', ...grant };
    const key = await this.#store.keys.find(keyId);
    return key?.revokedAt === null ? { kind: 'granted', ...grant } : refused('revoked', grant);
  }

  #time(inSeconds = 0): string {
    return new Date(this.#nowMs() + inSeconds * 1000).toISOString();
  }
}

export interface Granted extends Grant {
  kind: 'granted';
}
