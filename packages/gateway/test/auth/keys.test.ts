import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApiKey, verifyApiKey } from '../../src/auth/keys.ts';
import { owner } from '../store/support/records.ts';
import { openStore, spoiled } from './support/auth-place.ts';

test('a new key opens for its owner, and only its digest is stored', async () => {
  const { store, stateDir } = openStore();
  const ann = owner('ann');
  await store.owners.add(ann);
  const { text, record } = await createApiKey(store, ann, 'laptop');
  expect(text).toMatch(/^fl_[a-z0-9]{12}_[\w-]{43}$/);
  expect(text.split('_')[1]).toBe(record.id);
  expect(await verifyApiKey(store, text)).toEqual({ kind: 'verified', owner: ann, key: record });
  expect(await store.keys.list('ann')).toEqual([record]);
  const written = readFileSync(join(stateDir, 'fairlead.db-wal'));
  expect([written.includes(record.hash), written.includes(text.slice(-43))]).toEqual([true, false]);
});

test('two keys of one owner differ', async () => {
  const { store } = openStore();
  await store.owners.add(owner('ann'));
  const [first, second] = [
    await createApiKey(store, owner('ann'), 'same'),
    await createApiKey(store, owner('ann'), 'same'),
  ];
  expect(first.text.slice(-43)).not.toBe(second.text.slice(-43));
  expect(first.record.id).not.toBe(second.record.id);
});

test('a spoiled key does not open', async () => {
  const { store } = openStore();
  await store.owners.add(owner('ann'));
  const { text } = await createApiKey(store, owner('ann'), 'laptop');
  for (const wrong of spoiled(text)) {
    const answer = await verifyApiKey(store, wrong);
    expect([wrong, answer.kind]).toEqual([wrong, 'refused']);
  }
});

test('an id that does not exist and a wrong secret are refused alike', async () => {
  const { store } = openStore();
  await store.owners.add(owner('ann'));
  const { text, record } = await createApiKey(store, owner('ann'), 'laptop');
  const other = await createApiKey(store, owner('ann'), 'other');
  const swapped = text.slice(0, -43) + other.text.slice(-43);
  const unknown = { kind: 'refused', reason: 'unknown', sessionId: null };
  expect(await verifyApiKey(store, swapped)).toEqual({ ...unknown, keyId: record.id });
  const nobody = text.replace(record.id, 'aaaaaaaaaaaa');
  expect(await verifyApiKey(store, nobody)).toEqual({ ...unknown, keyId: 'aaaaaaaaaaaa' });
});

test('only who has the secret learns that the key is revoked', async () => {
  const { store } = openStore();
  await store.owners.add(owner('ann'));
  const { text, record } = await createApiKey(store, owner('ann'), 'laptop');
  await store.keys.revoke(record.id, new Date().toISOString());
  expect(await verifyApiKey(store, text)).toMatchObject({ kind: 'refused', reason: 'revoked' });
  expect(await verifyApiKey(store, spoiled(text)[0]!)).toMatchObject({ kind: 'refused', reason: 'unknown' });
});

test.each([
  '',
  'fl_',
  'Basic abc',
  'fl__',
  `fl_short_${'a'.repeat(43)}`,
  `fs_${'a'.repeat(20)}_${'a'.repeat(43)}`,
])('%j is malformed', async (text) => {
  const { store } = openStore();
  expect(await verifyApiKey(store, text)).toMatchObject({
    kind: 'refused',
    reason: 'malformed',
    keyId: null,
  });
});
