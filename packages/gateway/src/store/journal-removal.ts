import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from './open-database.ts';

/** Requests wait no longer than this for a removal, however much there is to remove. */
const turnMs = 5;

/** Removes the records of sessions that are gone, also of those that an earlier process did not come to. */
export async function sweepRemovedJournals(database: Database): Promise<number> {
  const { sqlite } = database;
  const anyRemoved = sqlite.prepare('SELECT sessionId FROM removedJournals LIMIT 1');
  const removeRecord = sqlite.prepare(
    `DELETE FROM records WHERE sessionId = ?1
     AND seq = (SELECT min(seq) FROM records WHERE sessionId = ?1)`,
  );
  const removeAction = sqlite.prepare(
    `DELETE FROM actions WHERE sessionId = ?1
     AND actionId = (SELECT min(actionId) FROM actions WHERE sessionId = ?1)`,
  );
  const forget = sqlite.prepare('DELETE FROM removedJournals WHERE sessionId = ?');
  return inTurns(database, () => {
    const sessionId = anyRemoved.get()?.['sessionId'] as string | undefined;
    if (sessionId === undefined) return undefined;
    const records = Number(removeRecord.run(sessionId).changes);
    const actions = Number(removeAction.run(sessionId).changes);
    if (records + actions === 0) forget.run(sessionId);
    return records;
  });
}

/**
 * An action goes together with its observation, once both are older. Each journal is gone through from its beginning up
 * to the first record that is not older.
 */
export async function removeRecordsBefore(database: Database, time: string): Promise<number> {
  const { sqlite } = database;
  const nextJournal = sqlite.prepare(
    'SELECT sessionId FROM journals WHERE sessionId > ? ORDER BY sessionId LIMIT 1',
  );
  const nextRecord = sqlite.prepare(
    `SELECT record.seq, record.time, record.type, record.actionId, action.observationSeq,
       observation.time AS finishedAt
     FROM records AS record
     LEFT JOIN actions AS action ON record.type = 'action'
       AND action.sessionId = record.sessionId AND action.actionId = record.actionId
     LEFT JOIN records AS observation
       ON observation.sessionId = record.sessionId AND observation.seq = action.observationSeq
     WHERE record.sessionId = ? AND record.seq > ? ORDER BY record.seq LIMIT 1`,
  );
  const removeRecord = sqlite.prepare('DELETE FROM records WHERE sessionId = ? AND seq = ?');
  const removeAction = sqlite.prepare('DELETE FROM actions WHERE sessionId = ? AND actionId = ?');
  const keepNumber = sqlite.prepare(
    'UPDATE journals SET removedSeq = max(removedSeq, ?) WHERE sessionId = ?',
  );

  let sessionId = '';
  let seq = 0;
  return inTurns(database, () => {
    const record = nextRecord.get(sessionId, seq) as Candidate | undefined;
    if (record === undefined || record.time >= time) {
      const next = nextJournal.get(sessionId) as { sessionId: string } | undefined;
      if (next === undefined) return undefined;
      sessionId = next.sessionId;
      seq = 0;
      return 0;
    }
    seq = record.seq;
    if (record.type === 'state' || record.type === 'notice') return remove(seq);
    if (record.finishedAt === null || record.finishedAt >= time) return 0;
    removeAction.run(sessionId, record.actionId);
    return remove(seq) + remove(record.observationSeq!);
  });

  function remove(seq: number): number {
    keepNumber.run(seq, sessionId);
    return Number(removeRecord.run(sessionId, seq).changes);
  }
}

interface Candidate {
  seq: number;
  time: string;
  type: string;
  actionId: string;
  /** Both are null for an action that is unfinished, and for what is none. */
  observationSeq: number | null;
  finishedAt: string | null;
}

/** Takes steps until there is none, in short transactions; each step tells how many records went. */
async function inTurns({ sqlite, transaction }: Database, step: () => number | undefined): Promise<number> {
  let removed = 0;
  for (let isDone = false; !isDone;) {
    // What is left is removed by the next process.
    if (!sqlite.isOpen) return removed;
    transaction(() => {
      const endAtMs = performance.now() + turnMs;
      while (!isDone && performance.now() < endAtMs) {
        const count = step();
        isDone = count === undefined;
        removed += count ?? 0;
      }
    });
    await nextTurn();
  }
  return removed;
}
