import { Tickets } from '@fairlead/http';
import type { Store } from '../store/store.ts';
import { loginLifetimeSeconds } from './cookies.ts';
import { digestHex } from './digest.ts';
import { randomSecret } from './random-text.ts';
import { holderOf, type Refusal, refused } from './identity.ts';

/** What a ticket, and the cookie it is exchanged for, open. */
export interface Grant {
  ownerId: string;
  /** The login ends with this key; null when it came from a session's key. */
  keyId: string | null;
  sessionId: string | null;
  /** A ticket that was asked for with a cookie is not valid behind its logout. */
  loginHash?: string;
}

/** Browsers: a ticket that is used once, and the cookie that they get for it. */
export class Logins {
  readonly #store: Store;
  readonly #nowMs: () => number;
  readonly #tickets = new Tickets<Grant>(holderOf);

  constructor(store: Store, nowMs: () => number = Date.now) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  issueTicket(grant: Grant): string {
    return this.#tickets.issue(grant, this.#nowMs());
  }

  async redeemTicket(ticket: string): Promise<Granted | Refusal> {
    const grant = this.#tickets.redeem(ticket, this.#nowMs());
    return grant === undefined ? refused('unknown') : this.check(grant);
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
    const loginHash = digestHex(cookieValue);
    const login = await this.#store.logins.find(loginHash);
    if (login === undefined) return refused('unknown');
    const { ownerId, keyId, sessionId } = login;
    return this.check({ ownerId, keyId, sessionId, loginHash });
  }

  async end(cookieValue: string): Promise<void> {
    await this.#store.logins.remove(digestHex(cookieValue));
  }

  /** Whether it holds still: the key and the login that it comes from may have ended. */
  async check(grant: Grant): Promise<Granted | Refusal> {
    const { keyId, loginHash } = grant;
    const login = loginHash === undefined ? undefined : await this.#store.logins.find(loginHash);
    if (loginHash !== undefined && login === undefined) return refused('unknown', grant);
    if (login !== undefined && login.expiresAt <= this.#time()) return refused('expired', grant);
    const key = keyId === null ? undefined : await this.#store.keys.find(keyId);
    if (keyId !== null && key?.revokedAt !== null) return refused('revoked', grant);
    return { kind: 'granted', ...grant };
  }

  #time(inSeconds = 0): string {
    return new Date(this.#nowMs() + inSeconds * 1000).toISOString();
  }
}

export interface Granted extends Grant {
  kind: 'granted';
}
