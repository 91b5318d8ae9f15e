import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { Call } from '../../src/bridge/answer.ts';
import { connect, greet, olderAddress, openBridge } from './support.ts';

const clientId = 'a-client-that-comes-back';
const message = (id: string | number, text = 'hi') => ({
  id,
  type: 'vscode/showMessage',
  params: { message: text },
});

/** Holds every request until the test lets it go. */
function gate() {
  const open: { call: Call; answer: (result: Record<string, unknown>) => void }[] = [];
  const handle = (_type: string, _params: Record<string, unknown>, call: Call) =>
    new Promise<Record<string, unknown>>((answer) => open.push({ call, answer }));
  return { open, handle };
}

test('a cancelled request is answered with the code cancelled, and its work is told to stop', async () => {
  const { open, handle } = gate();
  const { bridge } = openBridge(handle);
  const peer = await greet((await bridge.begin('a.py')).env);
  peer.send(message('a'));
  await expect.poll(() => open.length).toBe(1);
  peer.send({ id: 'a', type: '$/cancel' });
  expect(await peer.next()).toMatchObject({ id: 'a', success: false, code: 'cancelled' });
  expect(open[0]!.call.signal.aborted).toBe(true);
});

test('the window gives up before the caller does, and stops the work', async () => {
  const { open, handle } = gate();
  const { bridge } = openBridge(handle);
  const peer = await greet((await bridge.begin('a.py')).env);
  const startedMs = performance.now();
  peer.send({ id: 'a', type: 'vscode/executeCommand', params: { command: 'x', timeout: 400 } });
  expect(await peer.next()).toMatchObject({ id: 'a', success: false, code: 'timeout' });
  expect(performance.now() - startedMs).toBeGreaterThan(350);
  expect(open[0]!.call.signal.aborted).toBe(true);
});

test('parts come before the reply, and all of them again after a reconnection', async () => {
  const { open, handle } = gate();
  const { bridge } = openBridge(handle);
  const { env } = await bridge.begin('a.py');
  const peer = await greet(env, clientId);
  peer.send({ id: 'a', type: 'vscode/chat', params: { message: 'x', stream: true } });
  await expect.poll(() => open.length).toBe(1);
  open[0]!.call.onPart('one ');
  expect(await peer.next()).toEqual({ id: 'a', type: '$/part', index: 0, text: 'one ' });
  peer.socket.terminate();
  await peer.closed;
  open[0]!.call.onPart('two');
  const again = await greet(env, clientId);
  expect(again.welcome).toMatchObject({ isResumed: true, serverId: peer.welcome['serverId'] });
  expect([await again.next(), await again.next()]).toMatchObject([
    { index: 0, text: 'one ' },
    { index: 1, text: 'two' },
  ]);
  open[0]!.answer({ response: 'one two' });
  expect(await again.next()).toEqual({ id: 'a', success: true, result: { response: 'one two' } });
});

test('a reply that the lost connection could not carry is there after it, once, until it is acknowledged', async () => {
  const { open, handle } = gate();
  const { bridge, calls } = openBridge(handle);
  const { env } = await bridge.begin('a.py');
  const peer = await greet(env, clientId);
  peer.send(message('a'));
  await expect.poll(() => open.length).toBe(1);
  peer.socket.terminate();
  open[0]!.answer({ told: 1 });
  const again = await greet(env, clientId);
  expect(await again.next()).toEqual({ id: 'a', success: true, result: { told: 1 } });
  again.send(message('a'));
  expect(await again.next()).toEqual({ id: 'a', success: true, result: { told: 1 } });
  again.send({ id: 'a', type: '$/ack' });
  again.send(message('a'));
  expect(await again.next()).toMatchObject({ id: 'a', code: 'duplicate_id' });
  expect(calls).toHaveLength(1);
});

test('an id that is asked twice while it is at work runs once', async () => {
  const { open, handle } = gate();
  const { bridge, calls } = openBridge(handle);
  const peer = await greet((await bridge.begin('a.py')).env, clientId);
  peer.send(message('a'));
  peer.send(message('a'));
  peer.send(message('b'));
  await expect.poll(() => open.length).toBe(2);
  for (const { answer } of open) answer({});
  expect(new Set([(await peer.next())['id'], (await peer.next())['id']])).toEqual(new Set(['a', 'b']));
  expect(calls).toHaveLength(2);
});

test('nobody gets the replies of another run by its client id', async () => {
  const { open, handle } = gate();
  const { bridge } = openBridge(handle);
  const [mine, other] = [await bridge.begin('a.py'), await bridge.begin('b.py')];
  const peer = await greet(mine.env, clientId);
  peer.send(message('a'));
  await expect.poll(() => open.length).toBe(1);
  const stranger = await greet(other.env, clientId);
  expect(stranger.welcome).toMatchObject({ isResumed: false });
});

test.each([
  ['says goodbye', (socket: WebSocket) => socket.close(1000)],
  ['never said hello', undefined],
])('what a client asked for is cancelled at once when it leaves and %s', async (_name, leave) => {
  const { open, handle } = gate();
  const { bridge, left } = openBridge(handle);
  const { env } = await bridge.begin('a.py');
  const peer = leave === undefined ? await connect(olderAddress(env)) : await greet(env, clientId);
  peer.send(message('a'));
  await expect.poll(() => open.length).toBe(1);
  const aborted = once(open[0]!.call.signal, 'abort');
  if (leave === undefined) peer.socket.terminate();
  else leave(peer.socket);
  await aborted;
  expect(left).toEqual([open[0]!.call.callerId]);
});

test('what runs is cancelled when its run ends', async () => {
  const { open, handle } = gate();
  const { bridge } = openBridge(handle);
  const run = await bridge.begin('a.py');
  const peer = await greet(run.env, clientId);
  peer.send(message('a'));
  await expect.poll(() => open.length).toBe(1);
  run.end();
  expect(open[0]!.call.signal.aborted).toBe(true);
});

test('a client that does not read keeps neither others nor the window waiting, and loses nothing', async () => {
  const big = 'x'.repeat(1024 * 1024);
  const { bridge } = openBridge(() => ({ big }));
  const { env } = await bridge.begin('a.py');
  const slow = await greet(env, clientId);
  slow.socket.pause();
  for (let id = 0; id < 40; id++) slow.send(message(id));
  const quick = await greet(env);
  quick.send(message('q'));
  expect(await quick.next()).toMatchObject({ id: 'q', success: true });
  slow.socket.resume();
  const ids = new Set<unknown>();
  while (ids.size < 40) ids.add((await slow.next())['id']);
  expect(ids.size).toBe(40);
});

test('more than a thousand requests at once are refused', async () => {
  const { handle } = gate();
  const { bridge } = openBridge(handle);
  const peer = await greet((await bridge.begin('a.py')).env);
  for (let id = 0; id <= 1000; id++) peer.send(message(id));
  expect(await peer.next()).toMatchObject({ id: 1000, code: 'too_many_requests' });
});
