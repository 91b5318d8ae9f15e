import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { startChild } from './support/child.ts';
import { addSession, at, everything, key, owner } from './support/records.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

test('processes that make the database at the same time all get it', async () => {
  const path = join(temporaryDirectory(), 'fairlead.db');
  const children = Array.from({ length: 6 }, () => startChild('open', path));
  const ends = await Promise.all(children.map(({ ended }) => ended));
  expect(ends).toEqual(children.map(() => ({ code: 0, signal: null, stderr: '' })));
  const answers = children.flatMap(({ lines }) => lines);
  expect(answers.sort()).toEqual(['false', 'false', 'false', 'false', 'false', 'true']);
});

test('processes that write one journal get each number once, and each key runs once', async () => {
  const { path, store } = openPlace();
  await addSession(store, 's1');
  const children = Array.from({ length: 3 }, () => startChild('contend', path, 's1', '300'));
  const ends = await Promise.all(children.map(({ ended }) => ended));
  expect(ends).toEqual(children.map(() => ({ code: 0, signal: null, stderr: '' })));
  const runs = children.flatMap(({ lines }) => lines.map((line) => line.split(' ')));
  expect(new Set(runs.map(([name]) => name)).size).toBe(300);
  const told = runs.flatMap(([, begun, finished]) => [Number(begun), Number(finished)]).sort((a, b) => a - b);
  expect(told).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
  const records = await store.journal.read('s1', 0, everything);
  expect(records.map(({ seq }) => seq)).toEqual(told);
});

test('a key that a command revokes is revoked for the gateway at once, while the gateway writes', async () => {
  const { path, store } = openPlace();
  await store.owners.add(owner('ann'));
  await store.keys.add(key('k1', 'ann'));
  await addSession(store, 's1');
  const command = startChild('revoke', path, 'k1');
  let isEnded = false;
  const ended = command.ended.then((end) => {
    isEnded = true;
    return end;
  });
  while (!isEnded) {
    await store.journal.appendState('s1', at(0), 'running', null);
    await new Promise(setImmediate);
  }
  expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
  expect(command.lines).toEqual(['true']);
  expect((await store.keys.find('k1'))?.revokedAt).not.toBeNull();
});

function openPlace(): { path: string; store: Store } {
  const path = join(temporaryDirectory(), 'fairlead.db');
  const store = openSqliteStore(path);
  onTestFinished(() => store.close());
  return { path, store };
}
