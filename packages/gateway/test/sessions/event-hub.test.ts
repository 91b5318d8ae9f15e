import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventHub } from '../../src/sessions/event-hub.ts';
import type { WatcherQueue } from '../../src/sessions/watcher-queue.ts';
import { FakeRuntime } from './support/fake-runtime.ts';

/** What a watcher is told until nothing more is there: numbers of the journal, and texts in short. */
async function told(queue: WatcherQueue): Promise<(number | string)[]> {
  await nextTurn();
  const enough = new AbortController();
  const all: (number | string)[] = [];
  const reading = (async () => {
    for (
      let next = await queue.next(enough.signal);
      next !== undefined;
      next = await queue.next(enough.signal)
    )
      all.push(...('texts' in next ? next.texts.map(inShort) : [next.upToSeq]));
  })();
  await nextTurn();
  enough.abort();
  await reading;
  return all;
}

function inShort(text: string): string {
  const { type, data } = JSON.parse(text) as { type: string; data?: string };
  return data ?? type;
}

test('asks the runtime for output only while somebody watches', async () => {
  const hub = new EventHub(7);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  expect(runtime.places).toEqual([]);
  const one = hub.join();
  const other = hub.join();
  expect(runtime.places).toEqual([undefined]);
  runtime.print('a', 'to both');
  expect(await told(one)).toEqual([7, 'to both', 7, 'live']);
  expect(await told(other)).toEqual([7, 'to both', 7, 'live']);
  hub.leave(one);
  expect(runtime.listener).toBeDefined();
  hub.leave(other);
  expect(runtime.listener).toBeUndefined();
});

test('tells the journal before the runtime answers, and that it is live when it does', async () => {
  const hub = new EventHub(7);
  const runtime = new FakeRuntime({ isOpening: false });
  await hub.attach(runtime);
  const watcher = hub.join();
  expect(await told(watcher)).toEqual([7]);
  hub.recorded(8);
  runtime.open();
  expect(await told(watcher)).toEqual([8, 'live']);
});

test('holds an observation, and all that follows it, until the output of its action is told', async () => {
  const hub = new EventHub(0);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  const watcher = hub.join();
  await told(watcher);
  hub.recorded(1);
  hub.recordedObservation(2, 'a');
  hub.recorded(3);
  expect(await told(watcher)).toEqual([1]);
  runtime.print('a', 'the last of it');
  expect(await told(watcher)).toEqual(['the last of it']);
  runtime.listener!.onObservation('a');
  expect(await told(watcher)).toEqual([3]);
});

test('tells one who comes later what is over at once, and nothing that it printed', async () => {
  const hub = new EventHub(0);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  const early = hub.join();
  await told(early);
  hub.recordedObservation(1, 'a');
  const late = hub.join();
  expect(await told(early)).toEqual([]);
  expect(await told(late)).toEqual([1, 'live']);
  runtime.print('a', 'the last of it');
  runtime.print('b', 'of another');
  runtime.listener!.onObservation('a');
  expect(await told(early)).toEqual(['the last of it', 'of another', 1]);
  expect(await told(late)).toEqual(['of another', 1]);
});

test('does not wait for output that is there already, nor for long, nor without watchers', async () => {
  const hub = new EventHub(0);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  hub.recordedObservation(1, 'unwatched');
  const watcher = hub.join();
  expect(await told(watcher)).toEqual([1, 'live']);
  runtime.listener!.onObservation('early');
  hub.recordedObservation(2, 'early');
  expect(await told(watcher)).toEqual([2]);
  hub.recordedObservation(3, 'never told');
  expect(await told(watcher)).toEqual([]);
  await delay(1_050);
  expect(await told(watcher)).toEqual([3]);
});

test('goes on where a broken stream was, and keeps holding what was held', async () => {
  const hub = new EventHub(0);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  const watcher = hub.join();
  await told(watcher);
  hub.recordedObservation(1, 'a');
  runtime.listener!.onLost(41);
  expect(await told(watcher)).toEqual([]);
  await hub.attach(runtime);
  expect(runtime.places).toEqual([undefined, 41]);
  runtime.print('a', 'replayed');
  runtime.listener!.onObservation('a');
  expect(await told(watcher)).toEqual(['replayed', 1]);
  runtime.listener!.onGap();
  expect(await told(watcher)).toEqual(['lost-output']);
});

test('connects again by itself', async () => {
  const hub = new EventHub(0);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  hub.join();
  runtime.listener!.onLost(5);
  await delay(250);
  expect(runtime.places).toEqual([undefined, 5]);
});

test('asks nothing of a runtime that stands still, and keeps its stream', async () => {
  const hub = new EventHub(3);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  const early = hub.join();
  await told(early);
  hub.freeze();
  const late = hub.join();
  expect(await told(late)).toEqual([3, 'live']);
  hub.leave(early);
  await hub.attach(runtime);
  runtime.print('a', 'moving again');
  expect(await told(late)).toEqual(['moving again']);
  expect(runtime.places).toEqual([undefined]);
});

test('leaves a runtime that is gone, and tells what it held', async () => {
  const hub = new EventHub(0);
  const runtime = new FakeRuntime();
  await hub.attach(runtime);
  const watcher = hub.join();
  await told(watcher);
  hub.recordedObservation(1, 'a');
  hub.detach();
  expect(await told(watcher)).toEqual([1]);
  const next = new FakeRuntime();
  await hub.attach(next);
  expect(next.places).toEqual([undefined]);
});

test('ends its watchers when it is over, also those who come later', async () => {
  const hub = new EventHub(2);
  const watcher = hub.join();
  await told(watcher);
  hub.close();
  const never = new AbortController().signal;
  expect(await watcher.next(never)).toBeUndefined();
  const late = hub.join();
  expect(await late.next(never)).toEqual({ upToSeq: 2 });
  expect(await late.next(never)).toBeUndefined();
});
