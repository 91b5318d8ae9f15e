import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { startChild } from './support/child.ts';
import { addSession, everything } from './support/records.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const kills = 8;

test('what was acknowledged before a kill -9 is there, in order and once', async () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  const before = openSqliteStore(path);
  await addSession(before, 's1');
  before.close();

  const acknowledged: string[] = [];
  for (let n = 0; n < kills; n += 1) {
    const child = startChild('write', path, 's1', `w${n}`);
    await child.printed(20 + Math.floor(Math.random() * 200));
    // Somewhere between two lines, too.
    await delay(Math.random() * 3);
    child.process.kill('SIGKILL');
    expect((await child.ended).signal).toBe('SIGKILL');
    acknowledged.push(...child.lines);

    const store = openSqliteStore(path);
    const records = await store.journal.read('s1', 0, everything);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    const written = records.map((record) =>
      'actionId' in record ? `${record.seq} ${record.type} ${record.actionId}` : '',
    );
    // Each kill may come between a record and its acknowledgement, and no more than one.
    const unacknowledged = written.filter((line) => !acknowledged.includes(line));
    expect(written.filter((line) => acknowledged.includes(line))).toEqual(acknowledged);
    expect(unacknowledged.length).toBeLessThanOrEqual(n + 1);
    expect((await store.journal.unfinished('s1')).length).toBeLessThanOrEqual(n + 1);
    store.close();
  }

  const file = new DatabaseSync(path);
  expect({ ...file.prepare('PRAGMA integrity_check').get() }).toEqual({ integrity_check: 'ok' });
  file.close();
});
