import type { KeyRecord, OwnerRecord, Store } from '../store/store.ts';
import { digestHex, hasDigest } from './digest.ts';
import { randomId, randomSecret } from './random-text.ts';
import { type Refusal, refused } from './identity.ts';

const patterns = {
  api: /^fl_([a-z0-9]{12})_([\w-]{43})$/,
  window: /^fw_([a-z0-9]{12})_([\w-]{43})$/,
} as const;
const prefixes = { api: 'fl', window: 'fw' } as const;
const nobodysDigest = digestHex(randomSecret());

export interface CreatedKey {
  /** It is nowhere else: who loses it makes another. */
  text: string;
  record: KeyRecord;
}

export function createApiKey(
  store: Pick<Store, 'keys'>,
  owner: OwnerRecord,
  label: string,
): Promise<CreatedKey> {
  return createKey(store, owner, label, 'api');
}

/** For a VS Code window: it opens the door for windows, and nothing else. */
export function createWindowKey(
  store: Pick<Store, 'keys'>,
  owner: OwnerRecord,
  label: string,
): Promise<CreatedKey> {
  return createKey(store, owner, label, 'window');
}

async function createKey(
  store: Pick<Store, 'keys'>,
  owner: OwnerRecord,
  label: string,
  kind: KeyRecord['kind'],
): Promise<CreatedKey> {
  const id = randomId(12);
  const secret = randomSecret();
  const record: KeyRecord = {
    id,
    ownerId: owner.id,
    label,
    kind,
    hash: digestHex(secret),
    createdAt: new Date().toISOString(),
    revokedAt: null,
  };
  await store.keys.add(record);
  return { text: `${prefixes[kind]}_${id}_${secret}`, record };
}

export interface VerifiedKey {
  kind: 'verified';
  owner: OwnerRecord;
  key: KeyRecord;
}

export function verifyApiKey(store: Store, text: string): Promise<VerifiedKey | Refusal> {
  return verifyKey(store, 'api', text);
}

export function verifyWindowKey(store: Store, text: string): Promise<VerifiedKey | Refusal> {
  return verifyKey(store, 'window', text);
}

/** A key of the other kind is not known here, however right its secret is. */
async function verifyKey(
  store: Store,
  kind: KeyRecord['kind'],
  text: string,
): Promise<VerifiedKey | Refusal> {
  const [, keyId, secret] = patterns[kind].exec(text) ?? [];
  if (keyId === undefined || secret === undefined) return refused('malformed');
  const key = await store.keys.find(keyId);
  // The same work whether the key exists or not, and what has happened to it is told to its holder alone.
  const isSecretRight = hasDigest(secret, key?.hash ?? nobodysDigest);
  if (key === undefined || !isSecretRight || key.kind !== kind) return refused('unknown', { keyId });
  if (key.revokedAt !== null) return refused('revoked', { keyId });
  const owner = await store.owners.find(key.ownerId);
  return owner === undefined ? refused('unknown', { keyId }) : { kind: 'verified', owner, key };
}
