import { describe, expect, test } from 'vitest';
import type { OpenPlace } from './places.ts';
import { addSession, at, key, owner } from './records.ts';

export function describeAccounts(open: OpenPlace): void {
  describe('owners', () => {
    test('are found by id and by name, oldest first', async () => {
      const { store, reopen } = await open();
      const ann = owner('ann', { createdAt: at(2), role: 'operator' });
      const bob = owner('bob', { createdAt: at(1) });
      expect([await store.owners.add(ann), await store.owners.add(bob)]).toEqual([true, true]);
      const again = await reopen();
      expect(await again.owners.find('ann')).toEqual(ann);
      expect(await again.owners.findByName(bob.name)).toEqual(bob);
      expect(await again.owners.list()).toEqual([bob, ann]);
      expect([await again.owners.find('eve'), await again.owners.findByName('eve')]).toEqual([
        undefined,
        undefined,
      ]);
    });

    test('have a name each', async () => {
      const { store } = await open();
      await store.owners.add(owner('ann', { name: 'same' }));
      expect(await store.owners.add(owner('bob', { name: 'same' }))).toBe(false);
      expect(await store.owners.find('bob')).toBeUndefined();
    });
  });

  describe('keys', () => {
    test('are listed for one owner or for all', async () => {
      const { store } = await open();
      await store.owners.add(owner('ann'));
      await store.owners.add(owner('bob'));
      const [first, second, third] = [key('k1', 'ann'), key('k2', 'bob'), key('k3', 'ann')];
      for (const each of [first, second, third]) await store.keys.add(each);
      expect(await store.keys.list('ann')).toEqual([first, third]);
      expect(await store.keys.list()).toEqual([first, second, third]);
      expect(await store.keys.list('nobody')).toEqual([]);
      expect(await store.keys.find('k2')).toEqual(second);
      expect(await store.keys.find('k9')).toBeUndefined();
    });

    test('are revoked once, and keep the time of it', async () => {
      const { store, reopen } = await open();
      await store.owners.add(owner('ann'));
      await store.keys.add(key('k1', 'ann'));
      expect(await store.keys.revoke('k1', at(5))).toBe(true);
      expect(await store.keys.revoke('k1', at(6))).toBe(false);
      expect(await store.keys.revoke('k9', at(6))).toBe(false);
      expect((await (await reopen()).keys.find('k1'))?.revokedAt).toBe(at(5));
    });

    test('belong to an owner who exists', async () => {
      const { store } = await open();
      await expect(store.keys.add(key('k1', 'nobody'))).rejects.toThrow();
    });
  });

  describe('logins', () => {
    test('are found by the digest of their cookie until they are removed', async () => {
      const { store } = await open();
      await store.owners.add(owner('ann'));
      const login = { hash: 'h1', ownerId: 'ann', keyId: null, sessionId: null, expiresAt: at(10) };
      await store.logins.add(login);
      expect(await store.logins.find('h1')).toEqual(login);
      await store.logins.remove('h1');
      expect(await store.logins.find('h1')).toBeUndefined();
    });

    test('that have expired are removed, and no others', async () => {
      const { store } = await open();
      await store.owners.add(owner('ann'));
      for (const second of [9, 10, 11]) {
        const expiresAt = at(second);
        await store.logins.add({
          hash: `h${second}`,
          ownerId: 'ann',
          keyId: null,
          sessionId: null,
          expiresAt,
        });
      }
      await store.logins.removeExpired(at(10));
      const left = await Promise.all(['h9', 'h10', 'h11'].map((hash) => store.logins.find(hash)));
      expect(left.map((login) => login?.hash)).toEqual([undefined, undefined, 'h11']);
    });

    test('for one session go with it', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      const login = { ownerId: 'ann', keyId: null, expiresAt: at(10) };
      await store.logins.add({ ...login, hash: 'session', sessionId: 's1' });
      await store.logins.add({ ...login, hash: 'all', sessionId: null });
      await store.sessions.remove('s1');
      expect(await store.logins.find('session')).toBeUndefined();
      expect(await store.logins.find('all')).toBeDefined();
    });
  });
}
