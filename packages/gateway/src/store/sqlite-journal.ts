import type { SQLOutputValue } from 'node:sqlite';
import { GatewayError } from '../gateway-error.ts';
import { removeRecordsBefore, sweepRemovedJournals } from './journal-removal.ts';
import type { Database } from './open-database.ts';
import type { ActionRecord, JournalRecord, JournalStore } from './store.ts';

type Row = Record<string, SQLOutputValue>;

const selectAction = `
  SELECT action.sessionId, action.actionId, action.idempotencyKey, action.bodyHash, action.seq,
    begun.shell, begun.time, begun.body AS eventJson, finished.body AS observationJson
  FROM actions AS action
  JOIN records AS begun ON begun.sessionId = action.sessionId AND begun.seq = action.seq
  LEFT JOIN records AS finished
    ON finished.sessionId = action.sessionId AND finished.seq = action.observationSeq`;

export function sqliteJournal(database: Database): JournalStore {
  const { sqlite, transaction } = database;
  // Cheaper than a counter, which would be one more page to write for each record.
  const lastSeq = sqlite.prepare(
    `SELECT max(removedSeq, coalesce((SELECT max(seq) FROM records WHERE sessionId = ?1), 0)) AS seq
     FROM journals WHERE sessionId = ?1`,
  );
  const insertRecord = sqlite.prepare(
    'INSERT INTO records (sessionId, seq, time, type, actionId, shell, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const insertAction = sqlite.prepare(
    'INSERT INTO actions (sessionId, actionId, seq, idempotencyKey, bodyHash) VALUES (?, ?, ?, ?, ?)',
  );
  const actionById = sqlite.prepare(`${selectAction} WHERE action.sessionId = ? AND action.actionId = ?`);
  const actionByKey = sqlite.prepare(
    `${selectAction} WHERE action.sessionId = ? AND action.idempotencyKey = ?`,
  );
  const finish = sqlite.prepare(
    'UPDATE actions SET observationSeq = ? WHERE sessionId = ? AND actionId = ? AND observationSeq IS NULL',
  );
  const unfinished = sqlite.prepare(
    `${selectAction} WHERE action.sessionId = ? AND action.observationSeq IS NULL ORDER BY action.seq`,
  );
  const isUnfinished = sqlite.prepare(
    'SELECT 1 FROM actions WHERE sessionId = ? AND actionId = ? AND observationSeq IS NULL',
  );
  const noticeById = sqlite.prepare(
    "SELECT 1 FROM records WHERE sessionId = ? AND actionId = ? AND type = 'notice'",
  );
  const sizes = sqlite.prepare(
    `SELECT seq, octet_length(body) AS bytes FROM records
     WHERE sessionId = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const records = sqlite.prepare(
    `SELECT seq, time, type, actionId, shell, body FROM records
     WHERE sessionId = ? AND seq > ? AND seq <= ? ORDER BY seq`,
  );

  return {
    beginAction: async (action) =>
      transaction(() => {
        const { sessionId, actionId, idempotencyKey, bodyHash, shell, time, eventJson } = action;
        const known =
          (idempotencyKey === null ? undefined : actionByKey.get(sessionId, idempotencyKey)) ??
          actionById.get(sessionId, actionId);
        if (known !== undefined) return { kind: 'known', action: toAction(known) };
        const seq = nextSeq(sessionId);
        insertRecord.run(sessionId, seq, time, 'action', actionId, shell, eventJson);
        insertAction.run(sessionId, actionId, seq, idempotencyKey, bodyHash);
        return { kind: 'begun', seq };
      }),
    finishAction: async ({ sessionId, actionId, time, observationJson }) =>
      transaction(() => {
        if (isUnfinished.get(sessionId, actionId) === undefined) return undefined;
        const seq = nextSeq(sessionId);
        finish.run(seq, sessionId, actionId);
        insertRecord.run(sessionId, seq, time, 'observation', actionId, null, observationJson);
        return { seq };
      }),
    appendState: async (sessionId, time, state, reason) =>
      transaction(() => {
        const seq = nextSeq(sessionId);
        insertRecord.run(sessionId, seq, time, 'state', null, null, JSON.stringify({ state, reason }));
        return seq;
      }),
    appendNotice: async ({ sessionId, noticeId, time, noticeJson }) =>
      transaction(() => {
        if (noticeById.get(sessionId, noticeId) !== undefined) return undefined;
        const seq = nextSeq(sessionId);
        insertRecord.run(sessionId, seq, time, 'notice', noticeId, null, noticeJson);
        return seq;
      }),
    findByKey: async (sessionId, idempotencyKey) => {
      const row = actionByKey.get(sessionId, idempotencyKey);
      return row && toAction(row);
    },
    unfinished: async (sessionId) => unfinished.all(sessionId).map(toAction),
    read: async (sessionId, afterSeq, limits) => {
      const upTo = lastWithin(limits.bytes, sizes.all(sessionId, afterSeq, limits.records));
      return records.all(sessionId, afterSeq, upTo ?? afterSeq).map(toRecord);
    },
    lastSeq: async (sessionId) => findLastSeq(sessionId) ?? 0,
    removeBefore: async (time) =>
      (await sweepRemovedJournals(database)) + (await removeRecordsBefore(database, time)),
  };

  function nextSeq(sessionId: string): number {
    const last = findLastSeq(sessionId);
    if (last === undefined) throw new GatewayError('not-found', `There is no session ${sessionId}.`);
    return last + 1;
  }

  function findLastSeq(sessionId: string): number | undefined {
    return lastSeq.get(sessionId)?.['seq'] as number | undefined;
  }
}

/** The last number of those that fit; the first always does. Sizes are read alone: a body may have many megabytes. */
function lastWithin(limitBytes: number, sizes: Row[]): number | undefined {
  let totalBytes = 0;
  let last: number | undefined;
  for (const { seq, bytes } of sizes as { seq: number; bytes: number }[]) {
    totalBytes += bytes;
    if (last !== undefined && totalBytes > limitBytes) break;
    last = seq;
  }
  return last;
}

function toAction(row: Row): ActionRecord {
  return { ...row } as unknown as ActionRecord;
}

interface RecordRow {
  seq: number;
  time: string;
  type: JournalRecord['type'];
  actionId: string;
  shell: string;
  body: string;
}

function toRecord(row: Row): JournalRecord {
  const { seq, time, type, actionId, shell, body } = row as unknown as RecordRow;
  switch (type) {
    case 'action':
      return { seq, time, type: 'action', actionId, shell, eventJson: body };
    case 'observation':
      return { seq, time, type: 'observation', actionId, eventJson: body };
    case 'state':
      return { seq, time, type: 'state', ...JSON.parse(body) };
    case 'notice':
      return { seq, time, type: 'notice', noticeId: actionId, noticeJson: body };
  }
}
