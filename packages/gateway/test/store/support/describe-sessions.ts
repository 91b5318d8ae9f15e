import { describe, expect, test } from 'vitest';
import type { OpenPlace } from './places.ts';
import { action, addSession, at, everything, finish, owner, session } from './records.ts';

export function describeSessions(open: OpenPlace): void {
  describe('sessions', () => {
    test('come back as they were written', async () => {
      const { store, reopen } = await open();
      await store.owners.add(owner('ann'));
      const full = session('s1', 'ann', {
        driver: 'docker',
        image: 'debian:13',
        state: 'failed',
        reason: 'it’s "gone"\n',
        workspace: { kind: 'git', url: 'https://example.org/a.git', ref: 'main' },
        env: { QUOTES: `'"\\`, EMPTY: '' },
        labels: { 'team/name': 'blå' },
        limits: { cpus: 0.5, memoryMb: 512 },
        idleTimeoutSeconds: 0.5,
        expiresAt: at(100),
        endedAt: at(50),
        externalId: 'theirs',
      });
      expect(await store.sessions.add(full)).toBe(true);
      const again = await reopen();
      expect(await again.sessions.find('s1')).toEqual(full);
      expect(await again.sessions.findByExternalId('ann', 'theirs')).toEqual(full);
      expect(await again.sessions.find('s2')).toBeUndefined();
    });

    test('have an external id that is unique for their owner, and many may have none', async () => {
      const { store } = await open();
      await store.owners.add(owner('ann'));
      await store.owners.add(owner('bob'));
      const added = [
        await store.sessions.add(session('s1', 'ann', { externalId: 'x' })),
        await store.sessions.add(session('s2', 'ann', { externalId: 'x' })),
        await store.sessions.add(session('s3', 'bob', { externalId: 'x' })),
        await store.sessions.add(session('s4', 'ann')),
        await store.sessions.add(session('s5', 'ann')),
      ];
      expect(added).toEqual([true, false, true, true, true]);
      expect((await store.sessions.findByExternalId('ann', 'x'))?.id).toBe('s1');
      expect(await store.sessions.find('s2')).toBeUndefined();
      expect([await store.sessions.count('ann'), await store.sessions.count('bob')]).toEqual([3, 1]);
    });

    test('are listed newest first, by owner, state and all of the labels', async () => {
      const { store } = await open();
      await store.owners.add(owner('ann'));
      await store.owners.add(owner('bob'));
      const labels = { team: 'a', tier: '1' };
      await store.sessions.add(session('s1', 'ann', { createdAt: at(1), labels }));
      await store.sessions.add(
        session('s2', 'ann', { createdAt: at(3), labels: { team: 'a' }, state: 'paused' }),
      );
      await store.sessions.add(session('s3', 'bob', { createdAt: at(2), labels }));
      await store.sessions.add(session('s4', 'ann', { createdAt: at(1), state: 'stopped' }));
      const list = async (...filter: Parameters<typeof store.sessions.list>) =>
        (await store.sessions.list(...filter)).map(({ id }) => id);
      expect(await list()).toEqual(['s2', 's3', 's4', 's1']);
      expect(await list({ ownerId: 'ann' })).toEqual(['s2', 's4', 's1']);
      expect(await list({ states: ['running', 'paused'] })).toEqual(['s2', 's3', 's1']);
      expect(await list({ states: [] })).toEqual([]);
      expect(await list({ labels: { team: 'a' } })).toEqual(['s2', 's3', 's1']);
      expect(await list({ labels })).toEqual(['s3', 's1']);
      expect(await list({ labels: {} })).toHaveLength(4);
      expect(await list({ labels: { team: '1' } })).toEqual([]);
      expect(await list({ ownerId: 'ann', states: ['running'], labels })).toEqual(['s1']);
    });

    test('are changed in the given fields alone', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await addSession(store, 's2');
      await store.sessions.update('s1', { state: 'stopped', endedAt: at(9), labels: { a: 'b' } });
      await store.sessions.update('s1', {});
      expect(await store.sessions.find('s1')).toEqual(
        session('s1', 'ann', { state: 'stopped', endedAt: at(9), labels: { a: 'b' } }),
      );
      await store.sessions.update('s1', { endedAt: null });
      expect((await store.sessions.find('s1'))?.endedAt).toBeNull();
      expect(await store.sessions.find('s2')).toEqual(session('s2', 'ann'));
    });

    test('go with their journal, and leave the others theirs', async () => {
      const { store } = await open();
      for (const id of ['s1', 's2']) {
        await addSession(store, id);
        for (let n = 0; n < 50; n += 1) {
          await store.journal.beginAction(action(id, `a${n}`, { idempotencyKey: `k${n}` }));
          if (n % 2 === 0) await finish(store, id, `a${n}`);
        }
      }
      await store.sessions.remove('s1');
      expect(await store.sessions.find('s1')).toBeUndefined();
      expect(await store.journal.read('s1', 0, everything)).toEqual([]);
      expect(await store.journal.findByKey('s1', 'k1')).toBeUndefined();
      expect(await store.journal.unfinished('s1')).toEqual([]);
      expect(await store.journal.lastSeq('s1')).toBe(0);
      expect(await store.journal.read('s2', 0, everything)).toHaveLength(75);
      await store.sessions.remove('s1');
    });
  });
}
