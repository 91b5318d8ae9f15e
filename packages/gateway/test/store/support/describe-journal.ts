import { describe, expect, test } from 'vitest';
import type { OpenPlace } from './places.ts';
import { action, addSession, at, everything, finish } from './records.ts';

export function describeJournal(open: OpenPlace): void {
  describe('the journal', () => {
    test('numbers the records of each session from 1, in order', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await addSession(store, 's2');
      expect(await store.journal.lastSeq('s1')).toBe(0);
      expect(await store.journal.appendState('s1', at(1), 'running', null)).toBe(1);
      expect(await store.journal.beginAction(action('s1', 'a1', { time: at(2) }))).toEqual({
        kind: 'begun',
        seq: 2,
      });
      expect(await store.journal.beginAction(action('s2', 'a1'))).toEqual({ kind: 'begun', seq: 1 });
      expect(await finish(store, 's1', 'a1', { time: at(3), observationJson: '{"content":"é"}' })).toEqual({
        seq: 3,
      });
      expect(await store.journal.appendState('s1', at(4), 'failed', 'out of memory')).toBe(4);
      expect(await store.journal.lastSeq('s1')).toBe(4);
      const { eventJson } = action('s1', 'a1');
      expect(await store.journal.read('s1', 0, everything)).toEqual([
        { seq: 1, time: at(1), type: 'state', state: 'running', reason: null },
        { seq: 2, time: at(2), type: 'action', actionId: 'a1', shell: 'main', eventJson },
        { seq: 3, time: at(3), type: 'observation', actionId: 'a1', eventJson: '{"content":"é"}' },
        { seq: 4, time: at(4), type: 'state', state: 'failed', reason: 'out of memory' },
      ]);
    });

    test('goes on after a restart with the next number', async () => {
      const { store, reopen } = await open();
      await addSession(store, 's1');
      await store.journal.beginAction(action('s1', 'a1'));
      store.close();
      const again = await reopen();
      expect(await again.journal.lastSeq('s1')).toBe(1);
      expect(await finish(again, 's1', 'a1')).toEqual({ seq: 2 });
    });

    test.each([
      ['its id', { actionId: 'a1', idempotencyKey: null }],
      ['its id under another key', { actionId: 'a1', idempotencyKey: 'other' }],
      ['its key', { actionId: 'a2', idempotencyKey: 'k1' }],
    ])('knows an action again by %s, and records nothing', async (_how, ids) => {
      const { store } = await open();
      await addSession(store, 's1');
      const first = action('s1', 'a1', { idempotencyKey: 'k1', bodyHash: 'first', time: at(7) });
      await store.journal.beginAction(first);
      const running = await store.journal.beginAction(action('s1', '', { ...ids, bodyHash: 'second' }));
      expect(running).toEqual({ kind: 'known', action: { ...first, seq: 1, observationJson: null } });
      await finish(store, 's1', 'a1', { observationJson: '{"content":"done"}' });
      const done = await store.journal.beginAction(action('s1', '', ids));
      const observationJson = '{"content":"done"}';
      expect(done).toEqual({ kind: 'known', action: { ...first, seq: 1, observationJson } });
      expect(await store.journal.lastSeq('s1')).toBe(2);
      expect(await store.journal.findByKey('s1', 'k1')).toEqual({ ...first, seq: 1, observationJson });
      expect(await store.journal.findByKey('s1', 'other')).toBeUndefined();
    });

    test('lets another session use the same id and key', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await addSession(store, 's2');
      await store.journal.beginAction(action('s1', 'a1', { idempotencyKey: 'k1' }));
      const other = await store.journal.beginAction(action('s2', 'a1', { idempotencyKey: 'k1' }));
      expect(other).toEqual({ kind: 'begun', seq: 1 });
      expect(await store.journal.findByKey('s2', 'k1')).toMatchObject({ sessionId: 's2' });
    });

    test('keeps the first observation', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await store.journal.beginAction(action('s1', 'a1', { idempotencyKey: 'k1' }));
      await finish(store, 's1', 'a1', { observationJson: '"first"' });
      expect(await finish(store, 's1', 'a1', { observationJson: '"second"' })).toBeUndefined();
      expect(await store.journal.findByKey('s1', 'k1')).toMatchObject({ observationJson: '"first"' });
      expect(await store.journal.lastSeq('s1')).toBe(2);
    });

    test('takes no observation of an action that it does not know', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      expect(await finish(store, 's1', 'a1')).toBeUndefined();
      expect(await finish(store, 'gone', 'a1')).toBeUndefined();
      expect(await store.journal.lastSeq('s1')).toBe(0);
    });

    test('says so when the session of a new record does not exist', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await store.sessions.remove('s1');
      const notFound = { code: 'not-found', message: 'There is no session s1.' };
      await expect(store.journal.beginAction(action('s1', 'a1'))).rejects.toMatchObject(notFound);
      await expect(store.journal.appendState('s1', at(0), 'stopped', null)).rejects.toMatchObject(notFound);
      await addSession(store, 's2');
      expect(await store.journal.beginAction(action('s2', 'a1'))).toEqual({ kind: 'begun', seq: 1 });
    });

    test('keeps one of each notice, and the same id in another session', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await addSession(store, 's2');
      const notice = { sessionId: 's1', noticeId: 'n1', time: at(1), noticeJson: '{"type":"change"}' };
      expect(await store.journal.appendNotice(notice)).toBe(1);
      expect(await store.journal.appendNotice({ ...notice, time: at(2) })).toBeUndefined();
      expect(await store.journal.appendNotice({ ...notice, sessionId: 's2' })).toBe(1);
      expect(await store.journal.beginAction(action('s1', 'n1'))).toEqual({ kind: 'begun', seq: 2 });
      const [first] = await store.journal.read('s1', 0, everything);
      const { sessionId: _session, ...kept } = notice;
      expect(first).toEqual({ ...kept, seq: 1, type: 'notice' });
    });

    test('tells which actions have no observation, oldest first', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      for (const id of ['c', 'a', 'b']) await store.journal.beginAction(action('s1', id));
      await finish(store, 's1', 'a');
      const unfinished = await store.journal.unfinished('s1');
      expect(unfinished.map(({ actionId }) => actionId)).toEqual(['c', 'b']);
      expect(unfinished[0]).toEqual({ ...action('s1', 'c'), seq: 1, observationJson: null });
    });

    test('reads after a number, as many as are asked for', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      for (let n = 1; n <= 10; n += 1) await store.journal.appendState('s1', at(n), 'running', null);
      const read = async (after: number, records: number) =>
        (await store.journal.read('s1', after, { records, bytes: Infinity })).map(({ seq }) => seq);
      expect(await read(0, 3)).toEqual([1, 2, 3]);
      expect(await read(7, 100)).toEqual([8, 9, 10]);
      expect(await read(10, 100)).toEqual([]);
      expect(await read(99, 100)).toEqual([]);
      expect(await store.journal.read('nobody', 0, everything)).toEqual([]);
    });

    test('reads no more bytes than asked for, but always one record', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      // 100 bytes each, in fewer characters.
      const eventJson = JSON.stringify('é'.repeat(49));
      for (const id of ['a', 'b', 'c']) await store.journal.beginAction(action('s1', id, { eventJson }));
      const read = async (bytes: number) => (await store.journal.read('s1', 0, { records: 9, bytes })).length;
      expect([await read(0), await read(99), await read(199), await read(200), await read(300)]).toEqual([
        1, 1, 1, 2, 3,
      ]);
    });

    test('takes an observation of many megabytes', async () => {
      const { store, reopen } = await open();
      await addSession(store, 's1');
      const observationJson = JSON.stringify({ content: 'ü\u{1f600}\0"'.repeat(2_000_000) });
      await store.journal.beginAction(action('s1', 'a1', { idempotencyKey: 'k1' }));
      await finish(store, 's1', 'a1', { observationJson });
      await store.journal.appendState('s1', at(0), 'running', null);
      const again = await reopen();
      expect((await again.journal.findByKey('s1', 'k1'))?.observationJson === observationJson).toBe(true);
      const read = await again.journal.read('s1', 1, { records: 9, bytes: 1000 });
      expect(read.map(({ seq }) => seq)).toEqual([2]);
    });
  });

  describe('retention', () => {
    test('removes what is older, forgets its keys, and gives no number twice', async () => {
      const { store, reopen } = await open();
      await addSession(store, 's1');
      await store.journal.appendState('s1', at(1), 'running', null);
      await store.journal.beginAction(action('s1', 'a1', { time: at(2), idempotencyKey: 'k1' }));
      await finish(store, 's1', 'a1', { time: at(3) });
      await store.journal.appendState('s1', at(4), 'paused', null);
      expect(await store.journal.removeBefore(at(4))).toBe(3);
      expect((await store.journal.read('s1', 0, everything)).map(({ seq }) => seq)).toEqual([4]);
      expect(await store.journal.findByKey('s1', 'k1')).toBeUndefined();
      expect(await store.journal.removeBefore(at(4))).toBe(0);
      expect(await store.journal.removeBefore(at(5))).toBe(1);
      expect(await store.journal.lastSeq('s1')).toBe(4);
      const again = await reopen();
      const begun = await again.journal.beginAction(action('s1', 'a1', { idempotencyKey: 'k1' }));
      expect(begun).toEqual({ kind: 'begun', seq: 5 });
    });

    test('never takes an action that has no observation, nor stops at it', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await store.journal.beginAction(action('s1', 'runs', { time: at(1), idempotencyKey: 'k' }));
      await store.journal.appendState('s1', at(2), 'running', null);
      expect(await store.journal.removeBefore(at(9))).toBe(1);
      expect(await store.journal.unfinished('s1')).toMatchObject([{ actionId: 'runs', seq: 1 }]);
      const retry = action('s1', 'retry', { idempotencyKey: 'k' });
      expect(await store.journal.beginAction(retry)).toMatchObject({ kind: 'known' });
      expect(await finish(store, 's1', 'runs', { time: at(10) })).toEqual({ seq: 3 });
    });

    test('keeps an action as long as its observation', async () => {
      const { store } = await open();
      await addSession(store, 's1');
      await store.journal.beginAction(action('s1', 'a1', { time: at(1), idempotencyKey: 'k1' }));
      await finish(store, 's1', 'a1', { time: at(5), observationJson: '"late"' });
      expect(await store.journal.removeBefore(at(3))).toBe(0);
      expect(await store.journal.findByKey('s1', 'k1')).toMatchObject({ observationJson: '"late"' });
      expect(await store.journal.removeBefore(at(6))).toBe(2);
    });

    test('goes through every session', async () => {
      const { store } = await open();
      for (const id of ['s1', 's2', 's3']) {
        await addSession(store, id);
        for (let n = 0; n < 100; n += 1) await store.journal.appendState(id, at(n), 'running', null);
      }
      expect(await store.journal.removeBefore(at(60))).toBe(180);
      for (const id of ['s1', 's2', 's3']) {
        expect((await store.journal.read(id, 0, everything))[0]).toMatchObject({ seq: 61 });
      }
    });
  });
}
