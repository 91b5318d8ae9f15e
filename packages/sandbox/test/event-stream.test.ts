import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { streamEvent } from '@fairlead/protocol';
import { describe, expect, test } from 'vitest';
import { incompleteTail } from '../src/journal/output-ring.ts';
import { run, startTestServer, temporaryDirectory, type Json } from './support/test-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the event stream', () => {
  test('has actions, output and observations in order, numbered without holes', async () => {
    const { act, executor, watch } = await startTestServer();
    const watcher = watch('/events');
    await watcher.open();
    const held = act(run('hold'), { 'x-action-id': 'a1', 'idempotency-key': 'secret-key' });
    await expect.poll(() => executor.executed).toHaveLength(1);
    executor.emit('hello ', 'a1');
    executor.emit('world', 'a1');
    executor.release();
    await held;
    await watcher.until(({ messages }) => messages.length >= 4);
    const [action, one, two, observation] = watcher.events.map((event) => streamEvent.parse(event)) as Json[];
    expect(action).toMatchObject({ type: 'action', actionId: 'a1', shell: 'main', event: run('hold') });
    expect([one, two]).toMatchObject([
      { type: 'output', actionId: 'a1', shell: 'main', data: 'hello ' },
      { type: 'output', data: 'world' },
    ]);
    expect(observation).toMatchObject({
      type: 'observation',
      actionId: 'a1',
      event: { content: 'released' },
    });
    const numbers = watcher.events.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0] + index));
    expect(watcher.bytes.includes('secret-key')).toBe(false);
  });

  test('has no long actions and observations for who wants it brief', async () => {
    const { act, executor, watch } = await startTestServer();
    const [brief, whole] = [watch('/events?brief=true'), watch('/events')];
    await Promise.all([brief.open(), whole.open()]);
    const long = run(`echo ${'x'.repeat(100_000)}`);
    await act(long, { 'x-action-id': 'long' });
    executor.emit('y'.repeat(100_000), 'long');
    await act(run('short'), { 'x-action-id': 'short' });
    for (const watcher of [brief, whole]) await watcher.until(({ messages }) => messages.length >= 5);
    const short = whole.events.map((event) =>
      event.actionId === 'long' && event.event ? { ...event, event: {} } : event,
    );
    expect(whole.events[0]).toMatchObject({ type: 'action', event: long });
    expect(brief.events[0]).toEqual(short[0]);
    expect(brief.events.slice(2)).toEqual(whole.events.slice(2));
    expect(brief.events.find(({ type }) => type === 'output')).toMatchObject({ data: 'y'.repeat(100_000) });
  });

  test('is replayed from any number and then live', async () => {
    const { act, executor, watch } = await startTestServer();
    await act(run('one'));
    executor.emit('between');
    await act(run('two'));
    const all = watch('/events?after=0');
    await all.until(({ messages }) => messages.length >= 5);
    const third = all.events[2].seq;
    const rest = watch(`/events?after=${third}`);
    await rest.until(({ messages }) => messages.length >= 2);
    expect(rest.events).toEqual(all.events.slice(3));
    await act(run('three'));
    await rest.until(({ messages }) => messages.length >= 4);
    expect(rest.events.at(-1).event.content).toBe('three');
  });

  test('goes on after a restart: records are there, output from before is a gap', async () => {
    const sessionDir = await temporaryDirectory();
    const before = await startTestServer({ sessionDir });
    await before.act(run('one'));
    before.executor.emit('gone');
    await before.act(run('two'));
    const first = before.watch('/events?after=0');
    await first.until(({ messages }) => messages.length >= 5);
    await before.server.close();
    const after = await startTestServer({ sessionDir });
    await after.act(run('three'));
    const second = after.watch('/events?after=0');
    await second.until(({ messages }) => messages.length >= 8);
    const kinds = second.events.map(({ type }) => type);
    expect(kinds).toEqual([
      'action',
      'observation',
      'gap',
      'action',
      'observation',
      'gap',
      'action',
      'observation',
    ]);
    expect(second.events[3]).toEqual(first.events[3]);
    expect(second.events[6].seq).toBeGreaterThan(first.events[4].seq);
    checkCovered(second.events, 0);
  });

  test('output that is not kept any more is a gap', async () => {
    const { act, executor, watch } = await startTestServer({ outputLimitBytes: 10_000 });
    await act(run('one'));
    for (let n = 0; n < 100; n += 1) executor.emit(`${n} `.repeat(100));
    await act(run('two'));
    const watcher = watch('/events?after=0');
    await watcher.until(({ events }) => events.at(-1)?.event?.content === 'two');
    expect(watcher.events.filter(({ type }) => type === 'gap')).toHaveLength(1);
    expect(watcher.events.filter(({ type }) => type === 'output').length).toBeLessThan(60);
    checkCovered(watcher.events, 0);
  });

  test('a watcher that does not read costs no memory and misses no action or observation', async () => {
    const { act, executor, watch } = await startTestServer({ outputLimitBytes: 1_000_000 });
    const watcher = watch('/events?after=0');
    await watcher.open();
    watcher.socket.pause();
    const megabyte = Buffer.alloc(1_000_000, 'x');
    const before = usedBytes();
    for (let n = 0; n < 200; n += 1) {
      for (let part = 0; part < 10; part += 1) executor.emit(megabyte.subarray(0, 100_000));
      await act(run(`n${n}`));
    }
    // Buffers that nobody has any more are given back by a thread of their own.
    await expect.poll(() => usedBytes() - before, { timeout: 5_000 }).toBeLessThan(64_000_000);
    watcher.socket.resume();
    await watcher.until(({ events }) => events.at(-1)?.event?.content === 'n199');
    const contents = watcher.events
      .filter(({ type }) => type === 'observation')
      .map(({ event }) => event.content);
    expect(contents).toEqual(Array.from({ length: 200 }, (_, n) => `n${n}`));
    expect(watcher.events.some(({ type }) => type === 'gap')).toBe(true);
    checkCovered(watcher.events, 0);
  });

  test('never splits a character over events', async () => {
    const { executor, watch } = await startTestServer();
    const watcher = watch('/events');
    await watcher.open();
    const text = 'aé漢😀z'.repeat(3);
    for (const byte of Buffer.from(text)) executor.emit(Buffer.from([byte]), 'a');
    await watcher.until(({ events }) => events.map(({ data }) => data).join('') === text);
    expect(watcher.events.every(({ data }) => !data.includes('\ufffd'))).toBe(true);
  });

  test('gives out half a character when its action ends', async () => {
    const { act, executor, watch } = await startTestServer();
    const watcher = watch('/events');
    await watcher.open();
    const held = act(run('hold'), { 'x-action-id': 'a' });
    await expect.poll(() => executor.executed).toHaveLength(1);
    executor.emit(Buffer.from([0x61, 0xe6, 0xbc]), 'a');
    executor.release();
    await held;
    await watcher.until(({ messages }) => messages.length >= 4);
    expect(watcher.events.slice(1, 3).map(({ data }) => data)).toEqual(['a', '\ufffd']);
    expect(watcher.events[3].type).toBe('observation');
  });

  test.each([
    ['/events?after=x', 'after: '],
    ['/events?after=-1', 'after: '],
    ['/events?after=999999', 'beyond the last number'],
  ])('%s is refused with a reason', async (path, reason) => {
    const { watch } = await startTestServer();
    const closed = await watch(path).closed;
    expect(closed).toEqual({ code: 1008, reason: expect.stringContaining(reason) });
  });

  test('takes no messages', async () => {
    const { watch } = await startTestServer();
    const watcher = watch('/events');
    await watcher.open();
    watcher.socket.send('hello');
    expect((await watcher.closed).code).toBe(1008);
  });
});

test.each([
  ['', 0],
  ['61', 0],
  ['c3', 1],
  ['c3a9', 0],
  ['e6', 1],
  ['e6bc', 2],
  ['e6bca2', 0],
  ['f09f98', 3],
  ['f09f9880', 0],
  ['ff', 0],
  ['808080', 0],
])('bytes %s end in %i of an incomplete character', (hex, count) => {
  expect(incompleteTail(Buffer.from(hex, 'hex'))).toBe(count);
});

/** Every number is either an event or inside a gap. */
function checkCovered(events: Json[], afterSeq: number): void {
  let seen = afterSeq;
  for (const event of events) {
    expect(event.fromSeq ?? event.seq).toBe(seen + 1);
    seen = event.toSeq ?? event.seq;
  }
}

function usedBytes(): number {
  collectGarbage();
  const { external, heapUsed } = process.memoryUsage();
  return external + heapUsed;
}
