import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from './migrations.ts';

export interface Database {
  readonly sqlite: DatabaseSync;
  /** All or nothing. The body must not wait for anything. */
  transaction<Result>(body: () => Result): Result;
}

const busyTimeoutMs = 5000;
/** Tells a database of ours from another program's: "FLDB". */
const applicationId = 0x464c4442;
const sqliteCodes = { busy: 5, corrupt: 11, notADatabase: 26 };

/** Opens or makes the file, private to its user, in the newest version. Another process may have it open too. */
export function openDatabase(path: string): Database {
  const sqlite = openFile(path);
  try {
    refuseForeign(sqlite, path);
    setUp(sqlite);
    const transaction = prepareTransactions(sqlite);
    transaction(() => migrate(sqlite, path));
    return { sqlite, transaction };
  } catch (error) {
    sqlite.close();
    throw explained(error, path);
  }
}

function openFile(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives its side files the mode of this one.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    return new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  } catch (error) {
    throw new Error(`Cannot open the database ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function refuseForeign(sqlite: DatabaseSync, path: string): void {
  if (pragma(sqlite, 'application_id') === applicationId) return;
  const { count } = sqlite.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as { count: number };
  // Another process may have made it since the id was read.
  if (count === 0 || pragma(sqlite, 'application_id') === applicationId) return;
  throw new Error(`${path} is a database of another program. Move it away, or use another state directory.`);
}

function setUp(sqlite: DatabaseSync): void {
  // The change to WAL does not wait for another process that makes it at this moment.
  patiently(() => sqlite.exec('PRAGMA journal_mode = WAL'));
  sqlite.exec(`
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
  `);
}

function migrate(sqlite: DatabaseSync, path: string): void {
  const version = pragma(sqlite, 'user_version');
  if (version > migrations.length) {
    throw new Error(
      `${path} is from a newer Fairlead: it has version ${version}, and this one knows ${migrations.length}. ` +
        `Update Fairlead, or use another state directory.`,
    );
  }
  for (const migration of migrations.slice(version)) sqlite.exec(migration);
  if (version === migrations.length) return;
  sqlite.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
}

function prepareTransactions(sqlite: DatabaseSync): Database['transaction'] {
  // Takes the writer's lock at once: one that is taken later fails without waiting when another process has written.
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commit = sqlite.prepare('COMMIT');
  const rollBack = sqlite.prepare('ROLLBACK');
  return (body) => {
    begin.run();
    try {
      const result = body();
      commit.run();
      return result;
    } catch (error) {
      // A full disk has ended it already.
      if (sqlite.isTransaction) rollBack.run();
      throw error;
    }
  };
}

function patiently(action: () => void): void {
  const giveUpAtMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (codeOf(error) !== sqliteCodes.busy || performance.now() > giveUpAtMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function explained(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case sqliteCodes.notADatabase:
      return new Error(`${path} is not a database. Move it away, or use another state directory.`, {
        cause: error,
      });
    case sqliteCodes.corrupt:
      return new Error(`The database ${path} is damaged. Restore it from a backup, or move it away.`, {
        cause: error,
      });
    case sqliteCodes.busy:
      return new Error(`The database ${path} is locked by another process. End it, or try again.`, {
        cause: error,
      });
    default:
      return error;
  }
}

function pragma(sqlite: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(Object.values(sqlite.prepare(`PRAGMA ${name}`).get()!)[0]);
}

/** The low byte: the rest tells the kinds of one fault apart. */
function codeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? undefined : code & 0xff;
}
