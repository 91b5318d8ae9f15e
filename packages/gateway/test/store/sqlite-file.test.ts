import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { migrations } from '../../src/store/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { action, addSession, everything, finish, owner, session } from './support/records.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

test('the file, its side files and its directory are private, also when they were not', async () => {
  const directory = join(temporaryDirectory(), 'a', 'b');
  const path = join(directory, 'fairlead.db');
  openSqliteStore(path).close();
  chmodSync(path, 0o644);
  const store = opened(path);
  await store.owners.add(owner('ann'));
  const modes = readdirSync(directory).map((name) => [name, mode(join(directory, name))]);
  expect(modes).toEqual([
    ['fairlead.db', 0o600],
    ['fairlead.db-shm', 0o600],
    ['fairlead.db-wal', 0o600],
  ]);
  expect([mode(directory), mode(join(directory, '..'))]).toEqual([0o700, 0o700]);
});

test('a database of a newer version is refused and left as it is', async () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  openSqliteStore(path).close();
  change(path, 'PRAGMA user_version = 99');
  expect(() => openSqliteStore(path)).toThrow(
    `${path} is from a newer Fairlead: it has version 99, and this one knows ${migrations.length}. ` +
      'Update Fairlead, or use another state directory.',
  );
  expect(change(path, 'PRAGMA user_version')).toEqual({ user_version: 99 });
});

test('a database of an earlier version keeps what is in it', async () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  const store = openSqliteStore(path);
  await store.owners.add(owner('ann'));
  await store.sessions.add(session('s1', 'ann', { labels: { team: 'blue' } }));
  store.close();
  const file = new DatabaseSync(path);
  file.exec(`
    DROP INDEX notices;
    ALTER TABLE keys DROP COLUMN kind;
    ALTER TABLE sessions DROP COLUMN windowFolder;
    ALTER TABLE sessions DROP COLUMN windowId;
    ALTER TABLE sessions DROP COLUMN appPorts;
    PRAGMA user_version = 1`);
  file.close();
  expect(await opened(path).sessions.find('s1')).toMatchObject({
    labels: { team: 'blue' },
    appPorts: [],
    windowId: null,
  });
});

test('a file that is not a database is refused', () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  writeFileSync(path, 'Dear diary, today I was opened by a gateway.\n'.repeat(100));
  expect(() => openSqliteStore(path)).toThrow(`${path} is not a database. Move it away`);
});

test("another program's database is refused and left as it is", () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  change(path, 'CREATE TABLE cookies (host TEXT)');
  expect(() => openSqliteStore(path)).toThrow(`${path} is a database of another program. Move it away`);
  expect(change(path, 'SELECT count(*) AS tables FROM sqlite_schema')).toEqual({ tables: 1 });
});

test('a directory in its place is refused with its name', () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  mkdirSync(path);
  expect(() => openSqliteStore(path)).toThrow(`Cannot open the database ${path}: `);
});

test('a damaged database is called so', async () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  openSqliteStore(path).close();
  const { size } = statSync(path);
  const file = new DatabaseSync(path);
  file.exec('PRAGMA writable_schema = ON');
  file.exec(`UPDATE sqlite_schema SET rootpage = ${size} WHERE name = 'owners'`);
  file.close();
  expect(() => openSqliteStore(path)).toThrow(`The database ${path} is damaged. Restore it from a backup`);
});

test('closing twice is as good as once', () => {
  const store = openSqliteStore(join(temporaryDirectory(), 'fairlead.db'));
  store.close();
  store.close();
});

test('what a process did not come to remove of a gone session goes with the next removal', async () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  const first = opened(path);
  await addSession(first, 's1');
  for (let n = 0; n < 2000; n += 1) {
    await first.journal.beginAction(action('s1', `a${n}`));
    await finish(first, 's1', `a${n}`);
  }
  const removal = first.sessions.remove('s1');
  first.close();
  await removal;
  expect(change(path, 'SELECT count(*) > 100 AS isLeft FROM records')).toEqual({ isLeft: 1 });
  const second = opened(path);
  expect(await second.sessions.find('s1')).toBeUndefined();
  await addSession(second, 's2');
  await second.journal.beginAction(action('s2', 'a1'));
  expect(await second.journal.removeBefore('1999')).toBeGreaterThan(100);
  const left = 'SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM removedJournals) AS count';
  expect(change(path, left)).toEqual({ count: 1 });
  expect(await second.journal.read('s2', 0, everything)).toHaveLength(1);
});

test('a long removal lets others work in between', async () => {
  const store = opened(join(temporaryDirectory(), 'fairlead.db'));
  await addSession(store, 's1');
  await addSession(store, 's2');
  for (let n = 0; n < 3000; n += 1) await store.journal.appendState('s1', '2020', 'running', null);
  let isRemoved = false;
  const removal = store.sessions.remove('s1').then(() => (isRemoved = true));
  let begun = 0;
  while (!isRemoved) {
    await store.journal.beginAction(action('s2', `a${begun}`));
    begun += 1;
    await new Promise(setImmediate);
  }
  await removal;
  expect(begun).toBeGreaterThan(1);
});

function opened(path: string) {
  const store = openSqliteStore(path);
  onTestFinished(() => store.close());
  return store;
}

function mode(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Past the store, as another program would. */
function change(path: string, sql: string): Record<string, unknown> | undefined {
  const database = new DatabaseSync(path);
  try {
    const row = database.prepare(sql).get();
    return row && { ...row };
  } finally {
    database.close();
  }
}
