import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureFirstOwner } from '../../src/auth/first-owner.ts';
import { verifyApiKey } from '../../src/auth/keys.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { owner } from '../store/support/records.ts';
import { openStore } from './support/auth-place.ts';

test('the first start makes an operator, and a private file with its key', async () => {
  const { store, stateDir } = openStore();
  const first = await ensureFirstOwner(store, stateDir, 'ann');
  const keyPath = join(stateDir, 'key');
  expect(first).toMatchObject({ keyPath, isNewKey: true, owner: { name: 'ann', role: 'operator' } });
  expect(await store.owners.list()).toEqual([first.owner]);
  expect(statSync(keyPath).mode & 0o777).toBe(0o600);
  expect(await keyInFile(store, keyPath)).toMatchObject({ kind: 'verified', owner: first.owner });
  expect(readdirSync(stateDir).filter((name) => name.startsWith('key'))).toEqual(['key']);
});

test('a later start changes nothing, whoever starts it', async () => {
  const { store, stateDir } = openStore();
  const first = await ensureFirstOwner(store, stateDir, 'ann');
  const key = readFileSync(first.keyPath, 'utf8');
  expect(await ensureFirstOwner(store, stateDir, 'bob')).toEqual({ ...first, isNewKey: false });
  expect(readFileSync(first.keyPath, 'utf8')).toBe(key);
  expect(await store.keys.list()).toHaveLength(1);
});

test.each<[string, (store: Store, keyPath: string) => unknown]>([
  ['is missing', (_store, keyPath) => rmSync(keyPath)],
  ['is empty', (_store, keyPath) => writeFileSync(keyPath, '')],
  ['has a revoked key', async (store) => store.keys.revoke((await store.keys.list())[0]!.id, '2026')],
  [
    'has a key of another gateway',
    (_store, keyPath) => writeFileSync(keyPath, `fl_${'a'.repeat(12)}_${'b'.repeat(43)}`),
  ],
])('a key file that %s is made anew for the same owner', async (_what, spoil) => {
  const { store, stateDir } = openStore();
  const first = await ensureFirstOwner(store, stateDir, 'ann');
  await spoil(store, first.keyPath);
  expect(await ensureFirstOwner(store, stateDir, 'ann')).toEqual(first);
  expect(await keyInFile(store, first.keyPath)).toMatchObject({ kind: 'verified', owner: first.owner });
  expect(statSync(first.keyPath).mode & 0o777).toBe(0o600);
});

test('a key file that others may read is closed to them again', async () => {
  const { store, stateDir } = openStore();
  const { keyPath } = await ensureFirstOwner(store, stateDir, 'ann');
  chmodSync(keyPath, 0o644);
  await ensureFirstOwner(store, stateDir, 'ann');
  expect(statSync(keyPath).mode & 0o777).toBe(0o600);
});

test('a tenant who has the name of the user does not become the operator', async () => {
  const { store, stateDir } = openStore();
  await store.owners.add(owner('tenant', { name: 'ann' }));
  const first = await ensureFirstOwner(store, stateDir, 'ann');
  expect(first.owner.id).not.toBe('tenant');
  expect(first.owner).toMatchObject({ role: 'operator', name: expect.stringMatching(/^ann-\w+$/) });
});

test('two that start for the first time at once agree on owner and key', async () => {
  const { store, stateDir } = openStore();
  const other = openSqliteStore(join(stateDir, 'fairlead.db'));
  const [one, two] = await Promise.all([
    ensureFirstOwner(store, stateDir, 'ann'),
    ensureFirstOwner(other, stateDir, 'ann'),
  ]);
  other.close();
  expect(one.isNewKey).not.toBe(two.isNewKey);
  expect(two.owner).toEqual(one.owner);
  expect(await store.owners.list()).toEqual([one.owner]);
  expect(await keyInFile(store, one.keyPath)).toMatchObject({ kind: 'verified' });
  expect((await store.keys.list()).filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
});

function keyInFile(store: Store, path: string) {
  return verifyApiKey(store, readFileSync(path, 'utf8').trim());
}
