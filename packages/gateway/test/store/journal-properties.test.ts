import fc from 'fast-check';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { JournalRecord, Store } from '../../src/store/store.ts';
import { action, addSession, at, finish } from './support/records.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('begin' as const),
      id: name,
      key: fc.option(name),
      text: fc.string(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      id: name,
      text: fc.string({ maxLength: 200 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('state' as const), reason: fc.option(fc.string()) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('notice' as const), id: name, text: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), age: fc.nat(8) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const limits = fc.record({ after: fc.nat(20), records: fc.integer({ min: 1, max: 6 }), bytes: fc.nat(400) });

test('the journal is what a list would be', async () => {
  const store = openSqliteStore(join(temporaryDirectory(), 'fairlead.db'));
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(limits, { maxLength: 5 }),
      async (steps, reads) => {
        runs += 1;
        const sessionId = `s${runs}`;
        await addSession(store, sessionId);
        const model = new Model();
        let second = 0;
        for (const each of steps) {
          second += 1;
          await take(each, store, sessionId, model, second);
        }
        expect(await store.journal.lastSeq(sessionId)).toBe(model.lastSeq);
        for (const { after, records, bytes } of reads) {
          expect(await store.journal.read(sessionId, after, { records, bytes })).toEqual(
            model.read(after, records, bytes),
          );
        }
        const unfinished = await store.journal.unfinished(sessionId);
        expect(unfinished.map(({ actionId }) => actionId)).toEqual(model.unfinished());
        await store.sessions.remove(sessionId);
      },
    ),
    { numRuns: 150 },
  );
  store.close();
});

async function take(
  each: Step,
  store: Store,
  sessionId: string,
  model: Model,
  second: number,
): Promise<void> {
  const time = at(second);
  switch (each.do) {
    case 'begin': {
      const eventJson = JSON.stringify(each.text);
      const begun = action(sessionId, each.id, { idempotencyKey: each.key, eventJson, time });
      const answer = await store.journal.beginAction(begun);
      const known = model.find(each.id, each.key);
      if (known === undefined) {
        expect(answer).toEqual({ kind: 'begun', seq: model.begin(each.id, each.key, eventJson, time) });
      } else {
        expect(answer).toMatchObject({ kind: 'known', action: { actionId: known } });
      }
      return;
    }
    case 'finish': {
      const observationJson = JSON.stringify(each.text);
      const answer = await finish(store, sessionId, each.id, { time, observationJson });
      expect(answer?.seq).toBe(model.finish(each.id, observationJson, time));
      return;
    }
    case 'state': {
      const seq = await store.journal.appendState(sessionId, time, 'running', each.reason);
      expect(seq).toBe(model.add({ time, type: 'state', state: 'running', reason: each.reason }));
      return;
    }
    case 'notice': {
      const noticeJson = JSON.stringify(each.text);
      const seq = await store.journal.appendNotice({ sessionId, noticeId: each.id, time, noticeJson });
      expect(seq).toBe(model.notice(each.id, noticeJson, time));
      return;
    }
    case 'remove':
      expect(await store.journal.removeBefore(at(second - each.age))).toBe(
        model.remove(at(second - each.age)),
      );
  }
}

type Unnumbered = JournalRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'seq'>
    : never
  : never;

class Model {
  lastSeq = 0;
  records: JournalRecord[] = [];
  keys = new Map<string, string>();

  add(record: Unnumbered): number {
    this.lastSeq += 1;
    this.records.push({ seq: this.lastSeq, ...record });
    return this.lastSeq;
  }

  find(id: string, key: string | null): string | undefined {
    return (key === null ? undefined : this.keys.get(key)) ?? (this.#of('action', id) && id);
  }

  begin(actionId: string, key: string | null, eventJson: string, time: string): number {
    if (key !== null) this.keys.set(key, actionId);
    return this.add({ time, type: 'action', actionId, shell: 'main', eventJson });
  }

  finish(actionId: string, eventJson: string, time: string): number | undefined {
    if (!this.#of('action', actionId) || this.#of('observation', actionId)) return undefined;
    return this.add({ time, type: 'observation', actionId, eventJson });
  }

  notice(noticeId: string, noticeJson: string, time: string): number | undefined {
    const isKnown = this.records.some((record) => record.type === 'notice' && record.noticeId === noticeId);
    return isKnown ? undefined : this.add({ time, type: 'notice', noticeId, noticeJson });
  }

  unfinished(): string[] {
    return this.records.flatMap((record) =>
      record.type === 'action' && !this.#of('observation', record.actionId) ? [record.actionId] : [],
    );
  }

  read(after: number, records: number, bytes: number): JournalRecord[] {
    const found = this.records.filter(({ seq }) => seq > after).slice(0, records);
    let total = 0;
    return found.filter((record, index) => {
      total += Buffer.byteLength(bodyOf(record));
      return index === 0 || total <= bytes;
    });
  }

  remove(time: string): number {
    const count = this.records.length;
    const isOld = (record: JournalRecord) =>
      record.type === 'state' || record.type === 'notice'
        ? record.time < time
        : (this.#of('observation', record.actionId)?.time ?? '9') < time;
    const gone = this.records.filter(isOld);
    this.records = this.records.filter((record) => !gone.includes(record));
    for (const [key, id] of this.keys) if (!this.#of('action', id)) this.keys.delete(key);
    return count - this.records.length;
  }

  #of(type: 'action' | 'observation', actionId: string): JournalRecord | undefined {
    return this.records.find((record) => record.type === type && record.actionId === actionId);
  }
}

function bodyOf(record: JournalRecord): string {
  switch (record.type) {
    case 'action':
    case 'observation':
      return record.eventJson;
    case 'state':
      return JSON.stringify({ state: record.state, reason: record.reason });
    case 'notice':
      return record.noticeJson;
  }
}
