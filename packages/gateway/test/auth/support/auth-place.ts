import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Identifier } from '../../../src/auth/identify.ts';
import { createApiKey } from '../../../src/auth/keys.ts';
import { Logins } from '../../../src/auth/logins.ts';
import { SessionKeys } from '../../../src/auth/session-keys.ts';
import { openSqliteStore } from '../../../src/store/sqlite-store.ts';
import type { OwnerRecord, Store } from '../../../src/store/store.ts';
import { owner, session } from '../../store/support/records.ts';
import { temporaryDirectory } from '../../store/support/temporary-directory.ts';

export function openStore(): { store: Store; stateDir: string } {
  const stateDir = temporaryDirectory();
  const store = openSqliteStore(join(stateDir, 'fairlead.db'));
  onTestFinished(() => store.close());
  return { store, stateDir };
}

export const sessionIds = {
  ann: 'sann0000000000000001',
  annToo: 'sann0000000000000002',
  bob: 'sbob0000000000000001',
};

/** Two owners with a key each and sessions, and a clock that the test moves. */
export async function openAuthPlace() {
  const { store, stateDir } = openStore();
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const logins = new Logins(store, () => clock.nowMs);
  const sessionKeys = new SessionKeys(randomBytes(32));
  const identifier = new Identifier({
    store,
    sessionKeys,
    logins,
    cookieScope: { isSecure: false, basePath: '' },
  });
  const ann = await addOwner(store, 'ann');
  const bob = await addOwner(store, 'bob');
  for (const id of [sessionIds.ann, sessionIds.annToo]) await store.sessions.add(session(id, 'ann'));
  await store.sessions.add(session(sessionIds.bob, 'bob'));
  return { store, stateDir, clock, logins, sessionKeys, identifier, ann, bob };
}

async function addOwner(
  store: Store,
  id: string,
): Promise<{ record: OwnerRecord; key: string; keyId: string }> {
  const record = owner(id);
  await store.owners.add(record);
  const created = await createApiKey(store, record, 'laptop');
  return { record, key: created.text, keyId: created.record.id };
}

/** Every way to spoil one character, to cut, and to add, at the places that matter. */
export function spoiled(text: string): string[] {
  const changed = (index: number) => {
    const other = text[index] === 'A' ? 'B' : 'A';
    return text.slice(0, index) + other + text.slice(index + 1);
  };
  const places = [text.length - 43, text.length - 20, text.length - 1];
  return [
    ...places.map(changed),
    text.slice(0, -1),
    `${text}A`,
    `${text} `,
    ` ${text}`,
    text.toUpperCase(),
    `${text}\n`,
  ];
}
