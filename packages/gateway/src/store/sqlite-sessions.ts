import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { sweepRemovedJournals } from './journal-removal.ts';
import type { Database } from './open-database.ts';
import type { SessionFilter, SessionRecord, SessionStore } from './store.ts';

type Row = Record<string, SQLOutputValue>;
type Column = keyof SessionRecord;

const isJson: Record<Column, boolean> = {
  id: false,
  ownerId: false,
  driver: false,
  image: false,
  state: false,
  reason: false,
  workspace: true,
  env: true,
  labels: true,
  limits: true,
  idleTimeoutSeconds: false,
  createdAt: false,
  lastActiveAt: false,
  expiresAt: false,
  endedAt: false,
  externalId: false,
  windowId: false,
  windowFolder: false,
  appPorts: true,
};
const columns = Object.keys(isJson) as Column[];

export function sqliteSessions(database: Database): SessionStore {
  const { sqlite, transaction } = database;
  const insert = sqlite.prepare(
    `INSERT INTO sessions (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (ownerId, externalId) DO NOTHING`,
  );
  const insertJournal = sqlite.prepare('INSERT INTO journals (sessionId) VALUES (?)');
  const byId = sqlite.prepare('SELECT * FROM sessions WHERE id = ?');
  const byExternalId = sqlite.prepare('SELECT * FROM sessions WHERE ownerId = ? AND externalId = ?');
  const count = sqlite.prepare('SELECT count(*) AS count FROM sessions WHERE ownerId = ?');
  const markRemoved = sqlite.prepare(
    'INSERT OR IGNORE INTO removedJournals (sessionId) SELECT id FROM sessions WHERE id = ?',
  );
  const remove = sqlite.prepare('DELETE FROM sessions WHERE id = ?');
  const prepared = preparedBySql(database);

  return {
    add: async (session) =>
      transaction(() => {
        const isNew = insert.run(...columns.map((column) => toValue(column, session))).changes === 1;
        if (isNew) insertJournal.run(session.id);
        return isNew;
      }),
    find: async (id) => toSession(byId.get(id)),
    findByExternalId: async (ownerId, externalId) => toSession(byExternalId.get(ownerId, externalId)),
    list: async (filter = {}) => {
      const { condition, values } = conditionOf(filter);
      const list = prepared(`SELECT * FROM sessions ${condition} ORDER BY createdAt DESC, rowid DESC`);
      return list.all(...values).map((row) => toSession(row)!);
    },
    count: async (ownerId) => count.get(ownerId)!['count'] as number,
    update: async (id, changes) => {
      const changed = columns.filter((column) => column in changes);
      if (changed.length === 0) return;
      const assignments = changed.map((column) => `${column} = ?`).join(', ');
      const values = changed.map((column) => toValue(column, changes));
      prepared(`UPDATE sessions SET ${assignments} WHERE id = ?`).run(...values, id);
    },
    remove: async (id) => {
      transaction(() => {
        markRemoved.run(id);
        remove.run(id);
      });
      await sweepRemovedJournals(database);
    },
  };
}

/** Few texts occur: those of the filters and of the changes that the gateway makes. */
function preparedBySql({ sqlite }: Database): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const statement = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}

function conditionOf({ ownerId, states, labels }: SessionFilter): {
  condition: string;
  values: SQLInputValue[];
} {
  const terms: [sql: string, value: SQLInputValue][] = [];
  if (ownerId !== undefined) terms.push(['ownerId = ?', ownerId]);
  if (states !== undefined) {
    terms.push(['state IN (SELECT value FROM json_each(?))', JSON.stringify(states)]);
  }
  if (labels !== undefined) {
    const own =
      'SELECT 1 FROM json_each(labels) AS own WHERE own.key = wanted.key AND own.value = wanted.value';
    terms.push([
      `NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (${own}))`,
      JSON.stringify(labels),
    ]);
  }
  const sql = terms.map(([term]) => term).join(' AND ');
  return { condition: sql && `WHERE ${sql}`, values: terms.map(([, value]) => value) };
}

function toValue(column: Column, session: Partial<SessionRecord>): SQLInputValue {
  const value = session[column];
  return isJson[column] ? JSON.stringify(value) : (value as SQLInputValue);
}

function toSession(row: Row | undefined): SessionRecord | undefined {
  if (row === undefined) return undefined;
  const entries = columns.map((column) => {
    const value = row[column];
    return [column, isJson[column] ? JSON.parse(value as string) : value];
  });
  return Object.fromEntries(entries) as SessionRecord;
}
