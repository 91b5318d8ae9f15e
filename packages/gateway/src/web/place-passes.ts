import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isSameSecret } from '../auth/digest.ts';
import { type Place, placeLabel } from '../proxy/places.ts';

/** What its holder may see of a session, and what that depends on. */
export interface PlaceGrant {
  sessionId: string;
  ownerId: string;
  /** It ends with this key. */
  keyId: string | null;
  /** It ends with this login, which is known by the digest of its cookie. */
  loginHash: string | null;
  /** May also decide on the session's life. */
  isOwner: boolean;
  /** It comes from a shared link, and ends with it however much it is used. */
  isShared: boolean;
  /** The one place that it opens, by its label: what a page of one app gets hold of must not open another. */
  place: string;
}

/** Somebody who was let in to a place. */
export interface Admission {
  grant: PlaceGrant;
  /** When the cookies that they get for it end at the latest; undefined for keys and logins, which are looked up. */
  expiresAtMs: number | undefined;
  /** What browsers send unasked. */
  isByCookie: boolean;
}

/** What a pass is for: one of another purpose is worth nothing. */
export type PassPurpose = 'ticket' | 'cookie' | 'share' | 'editor-token';

export interface Pass {
  text: string;
  expiresAtMs: number;
}

export interface PassReading {
  grant: PlaceGrant;
  expiresAtMs: number;
  /** When a cookie that is given for it ends at the latest. */
  cookieEndsAtMs: number | undefined;
}

export interface PassUse {
  purpose: PassPurpose;
  /** Where it is shown. */
  place: Place;
  /** It has let in a connection that is open still. */
  isOpen?: boolean;
}

export const ticketSeconds = 30;
const cookieSeconds = 12 * 60 * 60;
/** Clients keep an address with such a token for some minutes before they open it. */
export const editorTokenSeconds = 10 * 60;

const content = z.object({
  s: z.string(),
  o: z.string(),
  k: z.string().nullable(),
  l: z.string().nullable(),
  w: z.boolean(),
  f: z.boolean(),
  p: z.string(),
  e: z.number(),
  c: z.number().nullable(),
  n: z.string(),
});

/** Grants as texts that browsers keep: signed, so that nothing is stored, and they outlive the gateway. */
export class PlacePasses {
  readonly #sign: (text: string) => string;
  readonly #nowMs: () => number;
  /** Tickets end with the process, because it alone knows which were used. */
  readonly #start = randomBytes(16).toString('base64url');
  /** Until they would have expired; oldest first. */
  readonly #usedUntilMs = new Map<string, number>();

  constructor(secret: Uint8Array, nowMs: () => number = () => Date.now()) {
    this.#sign = (text) => createHmac('sha256', secret).update(`place:${text}`).digest('base64url');
    this.#nowMs = nowMs;
  }

  /** What is exchanged for it does not last beyond `cookieEndsAtMs`. */
  issue(purpose: PassPurpose, grant: PlaceGrant, lifetimeSeconds: number, cookieEndsAtMs?: number): Pass {
    const expiresAtMs = this.#nowMs() + lifetimeSeconds * 1000;
    return { text: this.#write(purpose, grant, expiresAtMs, cookieEndsAtMs), expiresAtMs };
  }

  /** A cookie for what a ticket or a link opens, that ends with what it comes from. */
  cookieFor({ grant, expiresAtMs }: { grant: PlaceGrant; expiresAtMs?: number | undefined }): Pass {
    const latestMs = this.#nowMs() + cookieSeconds * 1000;
    const endsAtMs = Math.min(latestMs, expiresAtMs ?? latestMs);
    return { text: this.#write('cookie', grant, endsAtMs), expiresAtMs: endsAtMs };
  }

  /** In place of a cookie whose life is half over; undefined where there is no need, or what it comes from is shared. */
  renewed({ grant, expiresAtMs, isByCookie }: Admission): Pass | undefined {
    if (!isByCookie || expiresAtMs === undefined || grant.isShared) return undefined;
    const isHalfOver = expiresAtMs - this.#nowMs() < (cookieSeconds * 1000) / 2;
    return isHalfOver ? this.cookieFor({ grant }) : undefined;
  }

  /** Undefined for one that is not ours, not for this place, or too old. A ticket is used up by this. */
  read(text: string, { purpose, place, isOpen = false }: PassUse): PassReading | undefined {
    const [body = '', signature = ''] = text.split('.', 2);
    if (!isSameSecret(signature, this.#sign(this.#signed(purpose, body)))) return undefined;
    // One that another version of the gateway has signed may have other content.
    const { success, data } = content.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()));
    if (!success || data.s !== place.sessionId || data.p !== placeLabel(place)) return undefined;
    const { s, o, k, l, w, f, p, e, c } = data;
    // What is open counts as use of the cookie, which only its key, its login and its session end.
    const mayBeOver = isOpen && !f;
    if (e <= this.#nowMs() && !mayBeOver) return undefined;
    if (purpose === 'ticket' && !this.#use(body, e)) return undefined;
    return {
      grant: { sessionId: s, ownerId: o, keyId: k, loginHash: l, isOwner: w, isShared: f, place: p },
      expiresAtMs: e,
      cookieEndsAtMs: c ?? undefined,
    };
  }

  #write(purpose: PassPurpose, grant: PlaceGrant, expiresAtMs: number, cookieEndsAtMs?: number): string {
    const { sessionId: s, ownerId: o, keyId: k, loginHash: l, isOwner: w, isShared: f, place: p } = grant;
    const n = randomBytes(9).toString('base64url');
    const c = cookieEndsAtMs ?? null;
    const written: z.infer<typeof content> = { s, o, k, l, w, f, p, e: expiresAtMs, c, n };
    const body = Buffer.from(JSON.stringify(written)).toString('base64url');
    return `${body}.${this.#sign(this.#signed(purpose, body))}`;
  }

  #signed(purpose: PassPurpose, body: string): string {
    return purpose === 'ticket' ? `${purpose}:${this.#start}:${body}` : `${purpose}:${body}`;
  }

  #use(body: string, expiresAtMs: number): boolean {
    const nowMs = this.#nowMs();
    for (const [used, untilMs] of this.#usedUntilMs) {
      if (untilMs > nowMs) break;
      this.#usedUntilMs.delete(used);
    }
    if (this.#usedUntilMs.has(body)) return false;
    this.#usedUntilMs.set(body, expiresAtMs);
    return true;
  }
}
