import type { OwnerRecord } from '../store/store.ts';
import { type Identification, refused } from './identity.ts';

/** What one valid key proves. */
export type Proof =
  | { kind: 'api-key'; owner: OwnerRecord; keyId: string }
  /** Without an owner the session is gone. */
  | { kind: 'session-key'; sessionId: string; owner: OwnerRecord | undefined };

/**
 * Several keys together open what each of them opens; keys of two owners or two sessions open nothing. A client that
 * still sends the key of a removed session besides its owner's is let in, to be told that there is no such session.
 */
export function narrowest(proofs: Proof[]): Identification {
  const keyId = proofs.find((proof) => proof.kind === 'api-key')?.keyId ?? null;
  const sessionId = proofs.find((proof) => proof.kind === 'session-key')?.sessionId ?? null;
  const owner = proofs.find((proof) => proof.owner !== undefined)?.owner;
  if (owner === undefined) return refused('unknown', { keyId, sessionId });
  const isOneOwner = proofs.every((proof) => (proof.owner ?? owner).id === owner.id);
  const isOneSession = proofs.every((proof) => proof.kind !== 'session-key' || proof.sessionId === sessionId);
  if (!isOneOwner || !isOneSession) return refused('malformed', { keyId, sessionId });
  const by = sessionId === null ? 'api-key' : 'session-key';
  return { kind: 'identified', identity: { owner, keyId, sessionId, by } };
}
