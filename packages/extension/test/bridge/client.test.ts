import { afterEach, expect, test, vi } from 'vitest';
import { BridgeClient } from '../../src/bridge/client.ts';

/** A client that may come back, and what it was told. */
function open(answer: () => Promise<Record<string, unknown>>) {
  const done: unknown[] = [];
  const told: Record<string, unknown>[] = [];
  let isGone = false;
  const client = new BridgeClient({
    run: { id: 'run', name: 'deploy.py' },
    callerId: 'client',
    mayComeBack: true,
    operations: { receive: () => false },
    handle: ({ params }) => {
      done.push((params as { args: unknown[] }).args[0]);
      return answer();
    },
    gone: () => (isGone = true),
  });
  const send = (frame: object | string) => {
    told.push((typeof frame === 'string' ? JSON.parse(frame) : frame) as Record<string, unknown>);
  };
  const command = (id: number) =>
    client.receive({ id, type: 'vscode/executeCommand', params: { command: 'deploy', args: [id] } });
  return { client, done, told, send, command, isGone: () => isGone };
}

afterEach(() => void vi.useRealTimers());

test('a command whose reply was too much to keep is not run again, and its program hears so', async () => {
  const { client, done, told, send, command } = open(async () => ({ result: 'x'.repeat(4_000_000) }));
  const lost = () => undefined;
  client.connect(lost);
  const ids = Array.from({ length: 10 }, (_, index) => index + 1);
  for (const id of ids) command(id);
  await expect.poll(() => done.length).toBe(10);
  await new Promise(setImmediate);
  client.disconnect(lost, false);
  client.connect(send);
  const kept = new Set(told.map(({ id }) => id));
  expect(kept.size).toBeGreaterThan(0);
  for (const id of ids) command(id);
  expect(done).toEqual(ids);
  const dropped = told.filter(({ id }) => !kept.has(id));
  expect(dropped).toHaveLength(10 - kept.size);
  for (const reply of dropped)
    expect(reply).toMatchObject({
      success: false,
      code: 'failed',
      error: expect.stringMatching(/vscode\/executeCommand was done, and is not done again.*too large/),
    });
});

test('one reply that is too large by itself takes no other with it', async () => {
  const sizes = new Map([[2, 40_000_000]]);
  let id = 0;
  const { client, done, told, send, command } = open(async () => ({
    result: 'x'.repeat(sizes.get((id += 1)) ?? 1),
  }));
  const lost = () => undefined;
  client.connect(lost);
  command(1);
  command(2);
  await expect.poll(() => done.length).toBe(2);
  await new Promise(setImmediate);
  client.disconnect(lost, false);
  client.connect(send);
  command(2);
  expect(told).toMatchObject([
    { id: 1, success: true },
    { id: 2, success: false, code: 'failed' },
  ]);
  client.receive({ id: 2, type: '$/ack' });
  command(2);
  expect(told.at(-1)).toMatchObject({ id: 2, code: 'duplicate_id' });
  expect(done).toEqual([1, 2]);
});

test('it is waited for longer than our clients try to come back', () => {
  vi.useFakeTimers();
  const { client, send, isGone } = open(async () => ({}));
  client.connect(send);
  client.disconnect(send, false);
  vi.advanceTimersByTime(61_000);
  expect(isGone()).toBe(false);
  client.connect(send);
  vi.advanceTimersByTime(600_000);
  expect(isGone()).toBe(false);
  client.disconnect(send, false);
  vi.advanceTimersByTime(120_000);
  expect(isGone()).toBe(true);
});

test('one that is gone is not heard any more', () => {
  const { client, done, send, command } = open(async () => ({}));
  client.connect(send);
  client.end();
  command(1);
  expect(done).toEqual([]);
});
