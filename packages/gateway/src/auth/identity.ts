import type { OwnerRecord } from '../store/store.ts';

/** Somebody who was let in. */
export interface Identity {
  owner: OwnerRecord;
  keyId: string | null;
  /** The only session that it opens; null for all of the owner's. */
  sessionId: string | null;
  by:
    | 'api-key'
    | 'session-key'
    | 'cookie'
    | 'ticket'
    | 'place-cookie'
    | 'place-ticket'
    | 'share'
    | 'window-key'
    | 'pairing';
  /** Of the cookie that it comes from: it ends with that login. */
  loginHash?: string;
}

/** Whose share of what is limited it uses: a session's own key takes nothing from its owner. */
export function holderOf(grant: { ownerId: string; keyId: string | null; sessionId: string | null }): string {
  const isSessions = grant.keyId === null && grant.sessionId !== null;
  return isSessions ? `session ${grant.sessionId}` : `owner ${grant.ownerId}`;
}

/** Why somebody is not let in. What is not known here is `unknown`, however much of it is right. */
export type RefusalReason = 'missing' | 'malformed' | 'unknown' | 'revoked' | 'expired';

export interface Refusal {
  kind: 'refused';
  reason: RefusalReason;
  /** What the credential names, for the audit log; it may be a lie. */
  keyId: string | null;
  sessionId: string | null;
}

export type Identification = { kind: 'identified'; identity: Identity } | Refusal;

export function refused(
  reason: RefusalReason,
  { keyId = null, sessionId = null }: { keyId?: string | null; sessionId?: string | null } = {},
): Refusal {
  return { kind: 'refused', reason, keyId, sessionId };
}
