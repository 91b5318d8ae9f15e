import type { IncomingHttpHeaders } from 'node:http';
import type { OwnerRecord, Store } from '../store/store.ts';
import { type CookieScope, readLoginCookie } from './cookies.ts';
import { type Identification, type Identity, type Refusal, refused } from './identity.ts';
import { verifyApiKey, verifyWindowKey } from './keys.ts';
import type { Granted, Logins } from './logins.ts';
import { narrowest, type Proof } from './proofs.ts';
import type { SessionKeys } from './session-keys.ts';

/** Tells who sends a request. */
export class Identifier {
  readonly #store: Store;
  readonly #sessionKeys: SessionKeys;
  readonly #logins: Logins;
  readonly #cookieScope: CookieScope;

  constructor(parts: { store: Store; sessionKeys: SessionKeys; logins: Logins; cookieScope: CookieScope }) {
    this.#store = parts.store;
    this.#sessionKeys = parts.sessionKeys;
    this.#logins = parts.logins;
    this.#cookieScope = parts.cookieScope;
  }

  /** Every key that is given must be valid. The cookie, which browsers send unasked, counts where no key is given. */
  async ofHeaders(headers: IncomingHttpHeaders): Promise<Identification> {
    const texts = keyTexts(headers);
    if (texts.length === 0) return this.#ofCookie(headers.cookie);
    const proofs: Proof[] = [];
    for (const text of texts) {
      const proof = text.startsWith('fs_') ? await this.#ofSessionKey(text) : await this.#ofApiKey(text);
      if (proof.kind === 'refused') return proof;
      proofs.push(proof);
    }
    return narrowest(proofs);
  }

  /** At the door for windows only. */
  async ofWindowKey(text: string): Promise<Identification> {
    const verified = await verifyWindowKey(this.#store, text);
    if (verified.kind === 'refused') return verified;
    const { owner, key } = verified;
    return { kind: 'identified', identity: { owner, keyId: key.id, sessionId: null, by: 'window-key' } };
  }

  /** A ticket is used up by this, whatever comes of it. */
  async ofTicket(ticket: string): Promise<Identification> {
    return this.#ofGrant(await this.#logins.redeemTicket(ticket), 'ticket');
  }

  /** Whether somebody who was let in would be let in now. */
  async isValid({ owner, keyId, sessionId, loginHash }: Identity): Promise<boolean> {
    const grant = { ownerId: owner.id, keyId, sessionId, ...(loginHash && { loginHash }) };
    const isGranted = (await this.#logins.check(grant)).kind === 'granted';
    return isGranted && (await this.#store.owners.find(owner.id)) !== undefined;
  }

  async #ofApiKey(text: string): Promise<Proof | Refusal> {
    const verified = await verifyApiKey(this.#store, text);
    if (verified.kind === 'refused') return verified;
    return { kind: 'api-key', owner: verified.owner, keyId: verified.key.id };
  }

  async #ofSessionKey(text: string): Promise<Proof | Refusal> {
    const verified = this.#sessionKeys.verify(text);
    if (verified.kind === 'refused') return verified;
    const { sessionId } = verified;
    return { kind: 'session-key', sessionId, owner: await this.#ownerOf(sessionId) };
  }

  async #ofCookie(header: string | undefined): Promise<Identification> {
    const cookie = readLoginCookie(header, this.#cookieScope);
    if (cookie.kind === 'none') return refused('missing');
    if (cookie.kind === 'malformed') return refused('malformed');
    return this.#ofGrant(await this.#logins.verify(cookie.value), 'cookie');
  }

  async #ofGrant(grant: Granted | Refusal, by: 'cookie' | 'ticket'): Promise<Identification> {
    if (grant.kind === 'refused') return grant;
    const { ownerId, keyId, sessionId, loginHash } = grant;
    const owner = await (sessionId === null ? this.#store.owners.find(ownerId) : this.#ownerOf(sessionId));
    if (owner?.id !== ownerId) return refused('unknown', grant);
    return { kind: 'identified', identity: { owner, keyId, sessionId, by, ...(loginHash && { loginHash }) } };
  }

  /** Undefined when there is no such session any more. */
  async #ownerOf(sessionId: string): Promise<OwnerRecord | undefined> {
    const session = await this.#store.sessions.find(sessionId);
    return session && this.#store.owners.find(session.ownerId);
  }
}

/** In this order, and each once. Other schemes than Bearer are for what is behind the gateway. */
function keyTexts(headers: IncomingHttpHeaders): string[] {
  const bearer = /^bearer(?: +|$)(.*)$/i.exec(headers.authorization ?? '')?.[1];
  const texts = [bearer, headers['x-api-key'], headers['x-session-api-key']];
  return [...new Set(texts.filter((text) => text !== undefined).map(String))];
}
