import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnerRecord, Store } from '../store/store.ts';
import { createApiKey, verifyApiKey } from './keys.ts';
import { newOwner } from './owners.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';
import { randomId } from './random-text.ts';

export interface FirstOwner {
  owner: OwnerRecord;
  /** The file with a key of this owner, for the commands of this machine. */
  keyPath: string;
  /** The key in the file was made by this call. */
  isNewKey: boolean;
}

/** Whoever runs the gateway for the first time is its operator. Also makes a new key where the file has none that opens. */
export async function ensureFirstOwner(
  store: Store,
  stateDir: string,
  userName: string,
): Promise<FirstOwner> {
  const owner = (await findOperator(store)) ?? (await addOperator(store, userName));
  const keyPath = join(stateDir, 'key');
  const found = readPrivateFile(keyPath)?.toString().trim();
  if (found !== undefined) {
    const isOpening = (await verifyApiKey(store, found)).kind === 'verified';
    if (isOpening) return { owner, keyPath, isNewKey: false };
    // It is left from another database, or was revoked.
    rmSync(keyPath, { force: true });
  }
  const { text, record } = await createApiKey(store, owner, `the file ${keyPath}`);
  const isNewKey = createPrivateFile(keyPath, `${text}\n`);
  // Another process was faster, and its key is as good.
  if (!isNewKey) await store.keys.revoke(record.id, new Date().toISOString());
  return { owner, keyPath, isNewKey };
}

async function findOperator(store: Store): Promise<OwnerRecord | undefined> {
  return (await store.owners.list()).find(({ role }) => role === 'operator');
}

async function addOperator(store: Store, userName: string): Promise<OwnerRecord> {
  // A tenant may have the user's name.
  for (const name of [userName, `${userName}-${randomId(12)}`]) {
    const owner = newOwner(name, 'operator');
    if (await store.owners.add(owner)) return owner;
    const other = await findOperator(store);
    if (other !== undefined) return other;
  }
  throw new Error(`Cannot make an owner named ${userName}: the name is taken.`);
}
