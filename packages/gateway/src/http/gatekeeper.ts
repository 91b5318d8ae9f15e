import type { IncomingMessage } from 'node:http';
import { HttpError } from '@fairlead/http';
import type { AuditLog } from '../auth/audit-log.ts';
import type { Identifier } from '../auth/identify.ts';
import { holderOf, type Identification, type Identity } from '../auth/identity.ts';
import {
  addressBucket,
  type BucketLimits,
  failureLimits,
  RateLimit,
  requestLimits,
} from '../auth/rate-limit.ts';
import { createSiteCheck, type SiteOptions } from './site-check.ts';

export interface GatekeeperOptions extends SiteOptions {
  identifier: Identifier;
  audit: AuditLog;
  limits?: { requests: BucketLimits; failures: BucketLimits };
}

/** Lets requests in whichever way they come, or refuses them with an `HttpError`. Each decision is in the audit log. */
export class Gatekeeper {
  readonly checkSite: (request: IncomingMessage) => void;
  readonly #identifier: Identifier;
  readonly #audit: AuditLog;
  readonly #requests: RateLimit;
  readonly #failures: RateLimit;

  constructor({ identifier, audit, limits, ...site }: GatekeeperOptions) {
    this.checkSite = createSiteCheck(site);
    this.#identifier = identifier;
    this.#audit = audit;
    this.#requests = new RateLimit(limits?.requests ?? requestLimits);
    this.#failures = new RateLimit(limits?.failures ?? failureLimits);
  }

  /** By the keys in its headers, or by its cookie. */
  async byHeaders(request: IncomingMessage): Promise<Identity> {
    return this.#decide(request, await this.#identifier.ofHeaders(request.headers));
  }

  /** The path is for the audit log, where that of the request tells nothing. */
  async byKey(request: IncomingMessage, key: string, path?: string): Promise<Identity> {
    const { cookie, ...headers } = request.headers;
    return this.#decide(
      request,
      await this.#identifier.ofHeaders({ ...headers, authorization: `Bearer ${key}` }),
      path === undefined ? {} : { path },
    );
  }

  /** A window, by the key that it was given when it was paired. */
  async byWindowKey(request: IncomingMessage, key: string, path: string): Promise<Identity> {
    return this.#decide(request, await this.#identifier.ofWindowKey(key), { path });
  }

  /** What is found out by other means. */
  decide(request: IncomingMessage, found: Identification, path: string): Identity {
    return this.#decide(request, found, { path });
  }

  async byTicket(request: IncomingMessage, ticket: string): Promise<Identity> {
    return this.#decide(request, await this.#identifier.ofTicket(ticket));
  }

  /** For the servers of sessions, whose pages load hundreds of files: only refusals are counted. */
  settle(request: IncomingMessage, found: Identification): Identity {
    return this.#decide(request, found, { isCounted: false });
  }

  /** For those who need no name. Many for one purpose do not keep anybody from another. */
  admitAnyone(request: IncomingMessage, purpose: 'page' | 'handshake'): void {
    this.#take(this.#requests, `${purpose} ${addressBucket(request.socket.remoteAddress)}`);
  }

  #decide(
    request: IncomingMessage,
    found: Identification,
    { isCounted = true, path = request.url ?? '/' }: { isCounted?: boolean; path?: string } = {},
  ): Identity {
    const { method = 'GET' } = request;
    const { remoteAddress } = request.socket;
    this.#audit.record({ method, path, remoteAddress }, found);
    if (found.kind === 'refused') {
      this.#take(this.#failures, addressBucket(remoteAddress));
      throw unauthorized(path, found.reason === 'missing');
    }
    const { owner, keyId, sessionId } = found.identity;
    if (isCounted) this.#take(this.#requests, holderOf({ ownerId: owner.id, keyId, sessionId }));
    return found.identity;
  }

  #take(limit: RateLimit, bucket: string): void {
    const waitSeconds = limit.take(bucket);
    if (waitSeconds === 0) return;
    const headers = { 'retry-after': String(waitSeconds) };
    throw new HttpError(429, `Too many requests; try again in ${waitSeconds} s`, {}, headers);
  }
}

/** As the contract of each path has it. */
function unauthorized(path: string, isMissing: boolean): HttpError {
  if (path.startsWith('/runtimes/')) return new HttpError(403, 'Invalid API Key');
  const detail = isMissing
    ? 'An API key is needed; send it as "Authorization: Bearer KEY"'
    : 'The key, cookie or ticket is not valid; it may have been revoked, used or have expired';
  return new HttpError(401, detail, {}, { 'www-authenticate': 'Bearer realm="fairlead"' });
}
