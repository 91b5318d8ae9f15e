import { connect as connectTcp } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connect, greet, olderAddress, openBridge } from './support.ts';

const echo = (_type: string, params: Record<string, unknown>) => ({ told: params['message'] });
const message = (id: string | number, text = 'hi') => ({
  id,
  type: 'vscode/showMessage',
  params: { message: text },
});

test('a client that says hello is welcomed and answered', async () => {
  const { bridge } = openBridge(echo);
  const run = await bridge.begin('deploy.py');
  const peer = await greet(run.env);
  expect(peer.welcome).toMatchObject({ type: '$/welcome', protocolVersion: 1, isResumed: false });
  peer.send(message('a', 'hello'));
  expect(await peer.next()).toEqual({ id: 'a', success: true, result: { told: 'hello' } });
});

test('the existing client is answered: token in the query, numeric ids that come twice', async () => {
  const { bridge, calls } = openBridge(echo);
  const { env } = await bridge.begin('net.py');
  const peer = await connect(olderAddress(env));
  for (const text of ['one', 'two']) {
    peer.send(message(7, text));
    expect(await peer.next()).toEqual({ id: 7, success: true, result: { told: text } });
  }
  expect(calls).toHaveLength(2);
});

test('nothing is sent to a client before it has sent something', async () => {
  const { bridge } = openBridge(echo);
  const { env } = await bridge.begin('net.py');
  const { port, hostname, search } = new URL(olderAddress(env));
  const socket = connectTcp(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `GET /${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(String(head)).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  expect(String(head).endsWith('\r\n\r\n')).toBe(true);
  socket.destroy();
});

test('a refused chat has the older form for the existing client, and a code for ours', async () => {
  const { RequestError } = await import('../../src/requests/request-error.ts');
  const { bridge } = openBridge(() => {
    throw new RequestError('refused', 'The language model refused the request: no');
  });
  const { env } = await bridge.begin('net.py');
  const request = {
    id: 1,
    type: 'vscode/chat',
    params: { message: 'x', timeout: 30_000, conversationId: 'c' },
  };
  const older = await connect(olderAddress(env));
  older.send(request);
  expect(await older.next()).toEqual({
    id: 1,
    success: true,
    result: { response: '', conversationId: 'c', blocked: true, blockedReason: 'refusal', openedChat: false },
  });
  const ours = await greet(env);
  ours.send(request);
  expect(await ours.next()).toMatchObject({ id: 1, success: false, code: 'refused' });
});

test('a wrong token is closed with 1008, wherever it stands, and reaches no handler', async () => {
  const { bridge, calls } = openBridge(echo);
  const { env } = await bridge.begin('a.py');
  const wrong = 'f'.repeat(64);
  const address = env['FAIRLEAD_RUN_BRIDGE_ADDR']!;
  for (const peer of [
    await connect(olderAddress(env, wrong)),
    await connect(address, { authorization: `Bearer ${wrong}` }),
  ])
    expect(await peer.closed).toEqual({ code: 1008, reason: 'Unauthorized' });
  const helloer = await connect(address);
  helloer.send({ type: '$/hello', protocolVersion: 1, token: wrong });
  expect((await helloer.closed).code).toBe(1008);
  const silent = await connect(address);
  silent.send(message('a'));
  expect((await silent.closed).code).toBe(1008);
  expect(calls).toEqual([]);
});

test('the token of one run does not open with the session of another, nor after the run has ended', async () => {
  const { bridge } = openBridge(echo);
  const first = await bridge.begin('a.py');
  const second = await bridge.begin('b.py');
  expect(first.env['FAIRLEAD_RUN_BRIDGE_TOKEN']).not.toBe(second.env['FAIRLEAD_RUN_BRIDGE_TOKEN']);
  const mixed = { ...first.env, EVOLVE_RUN_BRIDGE_SESSION: second.env['EVOLVE_RUN_BRIDGE_SESSION']! };
  expect((await (await connect(olderAddress(mixed))).closed).code).toBe(1008);
  first.end();
  expect((await (await connect(olderAddress(first.env))).closed).code).toBe(1008);
  const alive = await greet(second.env);
  alive.send(message('a'));
  expect(await alive.next()).toMatchObject({ success: true });
});

test.each([
  ['an Origin, even its own', { origin: 'http://127.0.0.1' }],
  ['the Origin null', { origin: 'null' }],
  ['a Host that somebody bent to this machine', { host: 'evil.example' }],
])('a WebSocket with %s is refused with 403', async (_name, headers) => {
  const { bridge } = openBridge(echo);
  const { env } = await bridge.begin('a.py');
  const socket = new WebSocket(olderAddress(env), { headers });
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toContain('403');
});

test('a frame before the token is not even parsed when it is long', async () => {
  const { bridge } = openBridge(echo);
  const { env } = await bridge.begin('a.py');
  const peer = await connect(env['FAIRLEAD_RUN_BRIDGE_ADDR']!);
  peer.send({
    type: '$/hello',
    protocolVersion: 1,
    token: env['FAIRLEAD_RUN_BRIDGE_TOKEN'],
    pad: 'x'.repeat(5000),
  });
  expect((await peer.closed).code).toBe(1008);
});

test('a frame over the limit closes the connection with 1009', async () => {
  const { bridge } = openBridge(echo);
  const { env } = await bridge.begin('a.py');
  const peer = await greet(env);
  peer.send(message('a', 'x'.repeat(9 * 1024 * 1024)));
  expect((await peer.closed).code).toBe(1009);
});

test('what is no frame gets an error that says so, and the connection stays', async () => {
  const { bridge } = openBridge(echo);
  const { env } = await bridge.begin('a.py');
  const peer = await greet(env);
  peer.send('{"id": 1,');
  expect(await peer.next()).toEqual({
    id: null,
    success: false,
    error: 'Invalid JSON',
    code: 'invalid_json',
  });
  peer.send({ id: 'a', params: {} });
  expect(await peer.next()).toMatchObject({
    id: 'a',
    code: 'invalid_frame',
    error: expect.stringContaining('type'),
  });
  peer.send({ id: 'b', type: 'vscode/unheard' });
  expect(await peer.next()).toMatchObject({
    id: 'b',
    code: 'unknown_type',
    error: expect.stringContaining('Unknown request type: vscode/unheard'),
  });
  peer.send({ id: 'c', type: 'vscode/chat', params: {} });
  expect(await peer.next()).toMatchObject({ code: 'invalid_params', error: 'Missing message parameter' });
  peer.send({ id: 'd', type: 'vscode/showMessage', params: { message: 'x', level: 'loud' } });
  expect(await peer.next()).toMatchObject({
    code: 'invalid_params',
    error: expect.stringContaining('params.level'),
  });
});

test('replies come in the order in which they are ready, each to the one who asked', async () => {
  const gates = new Map<unknown, () => void>();
  const { bridge } = openBridge(async (_type, params) => {
    await new Promise<void>((resolve) => gates.set(params['message'], resolve));
    return { told: params['message'] };
  });
  const { env } = await bridge.begin('a.py');
  const [parent, child] = [await greet(env), await greet(env)];
  parent.send(message(1, 'slow'));
  parent.send(message(2, 'fast'));
  child.send(message(1, 'child'));
  await expect.poll(() => gates.size).toBe(3);
  gates.get('fast')!();
  expect(await parent.next()).toMatchObject({ id: 2, result: { told: 'fast' } });
  gates.get('child')!();
  expect(await child.next()).toMatchObject({ id: 1, result: { told: 'child' } });
  gates.get('slow')!();
  expect(await parent.next()).toMatchObject({ id: 1, result: { told: 'slow' } });
});

test('the server stops with the last run, closes its clients, and starts again with the next', async () => {
  const { bridge } = openBridge(echo);
  const [first, second] = await Promise.all([bridge.begin('a.py'), bridge.begin('b.py')]);
  expect(first.env['FAIRLEAD_RUN_BRIDGE_ADDR']).toBe(second.env['FAIRLEAD_RUN_BRIDGE_ADDR']);
  const peer = await greet(first.env);
  first.end();
  expect((await peer.closed).code).toBe(1001);
  expect(bridge.port).toBeDefined();
  second.end();
  expect(bridge.port).toBeUndefined();
  const socket = new WebSocket(olderAddress(second.env));
  expect(((await once(socket, 'error')) as [NodeJS.ErrnoException])[0].code).toBe('ECONNREFUSED');
  const third = await bridge.begin('c.py');
  const again = await greet(third.env);
  again.send(message('a'));
  expect(await again.next()).toMatchObject({ success: true });
});
