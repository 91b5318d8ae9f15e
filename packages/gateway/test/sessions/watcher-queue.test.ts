import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Told, WatcherQueue } from '../../src/sessions/watcher-queue.ts';

const never = new AbortController().signal;
const megabyte = 1024 * 1024;

async function readAll(queue: WatcherQueue): Promise<Told[]> {
  queue.end();
  const all: Told[] = [];
  for (let told = await queue.next(never); told !== undefined; told = await queue.next(never)) all.push(told);
  return all;
}

test('tells everything in the order in which it came, and the journal as numbers', async () => {
  const queue = new WatcherQueue();
  queue.journal(3);
  queue.live(3);
  queue.journal(4);
  queue.output('"one"', 'a');
  queue.output('"two"', 'a');
  queue.journal(5);
  expect(await readAll(queue)).toEqual([
    { upToSeq: 3 },
    { texts: ['{"type":"live","seq":3}'] },
    { upToSeq: 4 },
    { texts: ['"one"', '"two"'] },
    { upToSeq: 5 },
  ]);
});

test('holds one number for any length of the journal, and never a smaller one after a larger', async () => {
  const queue = new WatcherQueue();
  for (let seq = 1; seq <= 10_000; seq += 1) queue.journal(seq);
  queue.journal(9_000);
  expect(await readAll(queue)).toEqual([{ upToSeq: 10_000 }]);
});

test('keeps a megabyte of output for a slow watcher, and tells how much it lost, where it is missing', async () => {
  const queue = new WatcherQueue();
  const text = 'x'.repeat(100_000);
  queue.journal(1);
  for (let index = 0; index < 50; index += 1) queue.output(text, 'a');
  queue.journal(2);
  queue.output('after the gap', 'a');
  queue.journal(3);
  const all = await readAll(queue);
  const kept = Math.floor(megabyte / text.length);
  const lost = (50 - kept) * text.length + 'after the gap'.length;
  expect(all).toEqual([
    { upToSeq: 1 },
    { texts: [...Array.from({ length: kept }, () => text), `{"type":"lost-output","bytes":${lost}}`] },
    { upToSeq: 3 },
  ]);
});

test('takes output again as soon as the loss is told', async () => {
  const queue = new WatcherQueue();
  queue.output('x'.repeat(2 * megabyte), 'a');
  expect(await queue.next(never)).toEqual({ texts: [`{"type":"lost-output","bytes":${2 * megabyte}}`] });
  queue.output('"fresh"', 'a');
  expect(await queue.next(never)).toEqual({ texts: ['"fresh"'] });
});

test('does not say how much is lost where nobody knows', async () => {
  const queue = new WatcherQueue();
  queue.lost(null);
  queue.output('"never told"', 'a');
  expect(await readAll(queue)).toEqual([{ texts: ['{"type":"lost-output","bytes":null}'] }]);
});

test('stays small when nobody reads it, however much happens', async () => {
  const queue = new WatcherQueue();
  const text = JSON.stringify({ type: 'output', data: 'x'.repeat(1_000) });
  for (let seq = 1; seq <= 200_000; seq += 1) {
    queue.output(text, 'a');
    queue.journal(seq);
  }
  const all = await readAll(queue);
  const texts = all.flatMap((told) => ('texts' in told ? told.texts : []));
  expect(texts.join('').length).toBeLessThan(megabyte + 1_000);
  expect(all.length).toBeLessThan(2_200);
  expect(all.at(-1)).toEqual({ upToSeq: 200_000 });
});

test('wakes who waits, with what comes, with the end, or with the signal', async () => {
  const queue = new WatcherQueue();
  const first = queue.next(never);
  queue.output('"news"', 'a');
  expect(await first).toEqual({ texts: ['"news"'] });

  const leaving = new AbortController();
  const second = queue.next(leaving.signal);
  leaving.abort();
  expect(await second).toBeUndefined();

  const third = queue.next(never);
  await nextTurn();
  queue.end();
  expect(await third).toBeUndefined();
});
