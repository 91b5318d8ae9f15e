import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HttpError } from '@fairlead/http';
import type { Identifier } from '../auth/identify.ts';
import { type Identification, type Identity, type Refusal, refused } from '../auth/identity.ts';
import { readLoginCookie } from '../auth/cookies.ts';
import type { GatewayCore } from '../fronts/context.ts';
import { isOwner, openSession } from '../fronts/session-access.ts';
import { isOurKey } from '../proxy/credentials.ts';
import { type Place, placeLabel } from '../proxy/places.ts';
import type { RecentAdmissions } from '../proxy/recent-admissions.ts';
import type { Store } from '../store/store.ts';
import { readPlaceCookies } from './place-cookies.ts';
import type { Admission, PassPurpose, PassUse, PlaceGrant, PlacePasses } from './place-passes.ts';
import type { PlaceUrls } from './place-urls.ts';

type Found = { identity: Identity; admission: Admission } | Refusal;

/** Who may see a place of a session. */
export class PlaceDoor {
  readonly #gateway: GatewayCore;
  readonly #identifier: Identifier;
  readonly #store: Store;
  readonly #urls: PlaceUrls;
  readonly #passes: PlacePasses;
  readonly #recent: RecentAdmissions<Admission>;

  constructor(parts: { gateway: GatewayCore; identifier: Identifier; store: Store }) {
    this.#gateway = parts.gateway;
    this.#identifier = parts.identifier;
    this.#store = parts.store;
    this.#urls = parts.gateway.urls;
    this.#passes = parts.gateway.passes;
    this.#recent = parts.gateway.admissions;
  }

  /** Refuses with an `HttpError`: 401, or 404 where the session is somebody else's or nobody's. */
  admit(request: IncomingMessage, place: Place): Promise<Admission> {
    const name = `${place.sessionId}-${placeLabel(place)} ${request.headers.host}`;
    return this.#recent.admit(name, request.headers, async () =>
      this.#settle(request, place, await this.#identify(request.headers, place)),
    );
  }

  /** Whether it would be let in now. Nothing is recorded. */
  mayEnter(request: IncomingMessage, place: Place): Promise<boolean> {
    return this.#isOpenTo(request, place, false);
  }

  /** Whether somebody who was let in, and is connected since then, may stay. */
  mayStay(request: IncomingMessage, place: Place): Promise<boolean> {
    return this.#isOpenTo(request, place, true);
  }

  async #isOpenTo({ headers }: IncomingMessage, place: Place, isOpen: boolean): Promise<boolean> {
    const found = await this.#identify(headers, place, isOpen);
    if ('kind' in found) return false;
    const context = { gateway: this.#gateway, identity: found.identity };
    return openSession(context, place.sessionId).then(
      () => true,
      () => false,
    );
  }

  /** Whether it shows anything for itself, true or not. */
  hasProof({ headers }: IncomingMessage, { sessionId }: Place): boolean {
    const { cookie, host } = headers;
    if (ourKeys(headers) !== undefined || readPlaceCookies(this.#urls, sessionId, cookie).length > 0)
      return true;
    return !this.#urls.isPlaceHost(host) && readLoginCookie(cookie, this.#urls).kind !== 'none';
  }

  /** For what comes in the address. A ticket is used up by this. */
  async redeem(
    request: IncomingMessage,
    place: Place,
    purpose: Exclude<PassPurpose, 'cookie'>,
    text: string,
  ): Promise<Admission> {
    return this.#settle(request, place, await this.#ofPass(text, { purpose, place }));
  }

  async #settle(request: IncomingMessage, place: Place, found: Found): Promise<Admission> {
    const { gatekeeper } = this.#gateway;
    if ('kind' in found) throw refusalOf(() => gatekeeper.settle(request, found));
    const { identity, admission } = found;
    const { sessionId } = place;
    await openSession({ gateway: this.#gateway, identity }, sessionId).catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
      const refusal = refused('unknown', { keyId: identity.keyId, sessionId });
      const told = refusalOf(() => gatekeeper.settle(request, refusal));
      throw told instanceof HttpError && told.status === 429 ? told : error;
    });
    gatekeeper.settle(request, { kind: 'identified', identity });
    return admission;
  }

  /** Keys that are sent on purpose come first, then the place's own cookie, then the login. */
  async #identify(headers: IncomingHttpHeaders, place: Place, isOpen = false): Promise<Found> {
    const keys = ourKeys(headers);
    if (keys !== undefined) return identified(await this.#identifier.ofHeaders(keys), place);
    let refusal: Refusal | undefined;
    for (const text of readPlaceCookies(this.#urls, place.sessionId, headers.cookie)) {
      const found = await this.#ofPass(text, { purpose: 'cookie', place, isOpen });
      if (!('kind' in found)) return found;
      refusal = found;
    }
    // A host of its own has no login; whatever came there, a page has put.
    if (this.#urls.isPlaceHost(headers.host)) return refusal ?? refused('missing');
    const found = await this.#identifier.ofHeaders({ cookie: headers.cookie });
    if (found.kind === 'refused' && found.reason === 'missing') return refusal ?? found;
    return identified(found, place);
  }

  async #ofPass(text: string, use: PassUse): Promise<Found> {
    const { purpose, place } = use;
    const { sessionId } = place;
    const pass = this.#passes.read(text, use);
    if (pass === undefined) return refused('unknown', { sessionId });
    const { grant } = pass;
    const { ownerId, keyId, loginHash } = grant;
    const owner = await this.#store.owners.find(ownerId);
    if (owner === undefined) return refused('unknown', { sessionId, keyId });
    const held = { ownerId, keyId, sessionId, ...(loginHash !== null && { loginHash }) };
    const checked = await this.#gateway.logins.check(held);
    if (checked.kind === 'refused') return checked;
    const identity: Identity = { owner, keyId, sessionId, by: byPurpose[purpose] };
    const isLasting = purpose === 'cookie' || purpose === 'share';
    const expiresAtMs = isLasting ? pass.expiresAtMs : pass.cookieEndsAtMs;
    return { identity, admission: { grant, expiresAtMs, isByCookie: purpose === 'cookie' } };
  }
}

const byPurpose: Record<PassPurpose, Identity['by']> = {
  ticket: 'place-ticket',
  cookie: 'place-cookie',
  share: 'share',
  'editor-token': 'place-ticket',
};

function identified(found: Identification, place: Place): Found {
  if (found.kind === 'refused') return found;
  const { identity } = found;
  const grant = grantOf(identity, place);
  return { identity, admission: { grant, expiresAtMs: undefined, isByCookie: identity.by === 'cookie' } };
}

/** What an identity that may see the session may hand on. */
export function grantOf(identity: Identity, place: Place): PlaceGrant {
  const { owner, keyId, loginHash = null } = identity;
  return {
    sessionId: place.sessionId,
    ownerId: owner.id,
    keyId,
    loginHash,
    isOwner: isOwner(identity),
    isShared: false,
    place: placeLabel(place),
  };
}

/** What somebody is refused with. */
function refusalOf(settle: () => Identity): unknown {
  try {
    return new Error(`${settle().owner.name} was not refused`);
  } catch (error) {
    return error;
  }
}

/** Undefined where none is ours: apps have keys of their own, in the same headers. */
function ourKeys(headers: IncomingHttpHeaders): IncomingHttpHeaders | undefined {
  const found: IncomingHttpHeaders = {};
  for (const name of ['authorization', 'x-api-key', 'x-session-api-key'] as const) {
    const value = headers[name];
    if (typeof value === 'string' && isOurKey(value)) found[name] = value;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}
