import type { KeyRecord, OwnerRecord, Store } from '../store/store.ts';
import { digestHex, hasDigest } from './digest.ts';
import { randomId, randomSecret } from './random-text.ts';
import { type Refusal, refused } from './identity.ts';

const pattern = /^fl_([a-z0-9]{12})_([\w-]{43})$/;
const nobodysDigest = digestHex(randomSecret());

/** The text of the key is nowhere else: who loses it makes another. */
export async function createApiKey(
  store: Store,
  owner: OwnerRecord,
  label: string,
): Promise<{ text: string; record: KeyRecord }> {
  const id = randomId(12);
  const secret = randomSecret();
  const record: KeyRecord = {
    id,
    ownerId: owner.id,
    label,
    hash: digestHex(secret),
    createdAt: new Date().toISOString(),
    revokedAt: null,
  };
  await store.keys.add(record);
  return { text: `fl_${id}_${secret}`, record };
}

export interface VerifiedKey {
  kind: 'verified';
  owner: OwnerRecord;
  key: KeyRecord;
}

export async function verifyApiKey(store: Store, text: string): Promise<VerifiedKey | Refusal> {
  const [, keyId, secret] = pattern.exec(text) ?? [];
  if (keyId === undefined || secret === undefined) return refused('malformed');
  const key = await store.keys.find(keyId);
  // The same work whether the key exists or not, and what has happened to it is told to its holder alone.
  const isSecretRight = hasDigest(secret, key?.hash ?? nobodysDigest);
  if (key === undefined || !isSecretRight) return refused('unknown', { keyId });
  if (key.revokedAt !== null) return refused('revoked', { keyId });
  const owner = await store.owners.find(key.ownerId);
  return owner === undefined ? refused('unknown', { keyId }) : { kind: 'verified', owner, key };
}
