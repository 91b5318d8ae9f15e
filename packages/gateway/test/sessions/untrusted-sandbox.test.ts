import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RuntimeListener } from '../../src/runtime/runtime.ts';
import { SandboxRuntime } from '../../src/runtime/sandbox-runtime.ts';
import { EventHub } from '../../src/sessions/event-hub.ts';

/** Whoever runs in a sandbox can take the place of its server. */
async function impostor(onRequest: RequestListener, onSocket: (socket: WebSocket, url: string) => void) {
  const directory = mkdtempSync(join(tmpdir(), 'impostor-'));
  const server = createServer(onRequest);
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => onSocket(socket, request.url ?? ''));
  server.listen(join(directory, 'server.sock'));
  await once(server, 'listening');
  const runtime = new SandboxRuntime(join(directory, 'server.sock'));
  onTestFinished(async () => {
    await runtime.close();
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    server.closeAllConnections();
    rmSync(directory, { recursive: true });
  });
  return runtime;
}

const action = {
  actionId: 'a',
  event: { action: 'run', args: { command: 'true' } },
  isResumed: false,
  signal: new AbortController().signal,
};

test.for([
  ['text', 'not json'],
  ['a number', '7'],
  ['a list', '[]'],
  ['nothing', ''],
])('an answer that is %s becomes an error observation', async ([, body]) => {
  const runtime = await impostor(
    (_request, response) => response.end(body),
    () => undefined,
  );
  expect(JSON.parse(await runtime.execute(action))).toMatchObject({
    observation: 'error',
    content:
      'ERROR: The sandbox refused the action (200): it answered with something else than an observation',
  });
});

test('an answer without end, or of a size that nobody could keep, is not read', async () => {
  let sent = 0;
  const endless = await impostor(
    (_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
      };
      response.on('drain', write);
      write();
    },
    () => undefined,
  );
  expect(JSON.parse(await endless.execute(action))).toMatchObject({ observation: 'error' });
  expect(sent).toBeLessThan(10_000_000);
  const large = await impostor(
    (_request, response) => response.writeHead(200, { 'content-length': 1e12 }).flushHeaders(),
    () => undefined,
  );
  expect(JSON.parse(await large.execute(action))).toMatchObject({ observation: 'error' });
});

test('an answer that would be large only once it is understood is not understood', async () => {
  const list = `{"observation":"run","content":[${'{},'.repeat(2_000_000)}{}]}`;
  const runtime = await impostor(
    (_request, response) => response.end(list),
    () => undefined,
  );
  const before = process.memoryUsage().heapUsed;
  expect(JSON.parse(await runtime.execute(action))).toMatchObject({ observation: 'error' });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
});

test('a long text with quotes and backslashes is an observation like any other', async () => {
  const observation = { observation: 'run', content: '"\\" and \\" {},[]\n'.repeat(200_000) };
  const runtime = await impostor(
    (_request, response) => response.end(JSON.stringify(observation)),
    () => undefined,
  );
  expect(JSON.parse(await runtime.execute(action))).toEqual(observation);
});

test('large answers of one sandbox are taken in one after the other, and small ones meanwhile', async () => {
  const size = 100 * 1024 * 1024;
  const waiting: (() => void)[] = [];
  const runtime = await impostor(
    (request, response) => {
      if (request.headers['x-action-id'] === 'small') return void response.end('{"observation":"small"}');
      response.writeHead(200, { 'content-length': size }).flushHeaders();
      waiting.push(() => response.destroy());
    },
    () => undefined,
  );
  const first = runtime.execute({ ...action, actionId: 'first' });
  const second = runtime.execute({ ...action, actionId: 'second' });
  const outcomes = Promise.allSettled([first, second]);
  await vi.waitUntil(() => waiting.length === 2, { timeout: 10_000 });
  const small = await runtime.execute({ ...action, actionId: 'small' });
  expect(JSON.parse(small)).toEqual({ observation: 'small' });
  for (const end of waiting) end();
  for (const { status } of await outcomes) expect(status).toBe('rejected');
});

test('a message of a size that no sandbox sends ends the stream', async () => {
  const runtime = await impostor(
    (_request, response) => response.end(),
    (socket) => socket.send('x'.repeat(5 * 1024 * 1024)),
  );
  const lost = Promise.withResolvers<number | undefined>();
  const heard: string[] = [];
  const watch = runtime.watch(
    {
      onOutput: () => heard.push('output'),
      onObservation: () => heard.push('observation'),
      onGap: () => heard.push('gap'),
      onLost: lost.resolve,
    },
    7,
  );
  expect(await lost.promise).toBeUndefined();
  expect(heard).toEqual(['gap']);
  watch.close();
});

test('a stream that says what it likes is given up, and nothing else comes of it', async () => {
  const runtime = await impostor(
    (_request, response) => response.end(),
    (socket) => socket.send('{"type":"output","seq":"many"}'),
  );
  const news: string[] = [];
  const listener: RuntimeListener = {
    onOutput: () => news.push('output'),
    onObservation: () => news.push('observation'),
    onGap: () => news.push('gap'),
    onLost: (place) => news.push(`lost at ${place}`),
  };
  runtime.watch(listener, 12);
  while (news.length === 0) await nextTurn();
  expect(news).toEqual(['lost at 12']);
});

test('a stream goes on after the last event that was told, unless the server does not know of it', async () => {
  const asked: string[] = [];
  const time = new Date().toISOString();
  const runtime = await impostor(
    (_request, response) => response.end(),
    (socket, url) => {
      asked.push(url);
      if (url.endsWith('after=99')) return socket.close(1008, 'beyond the last number');
      socket.send(JSON.stringify({ type: 'output', seq: 7, time, actionId: 'a', shell: 'main', data: 'x' }));
      setTimeout(() => socket.terminate(), 20);
    },
  );
  const lost = (place: number | undefined) =>
    new Promise<number | undefined>((resolve) => {
      const nothing = () => undefined;
      runtime.watch({ onOutput: nothing, onObservation: nothing, onGap: nothing, onLost: resolve }, place);
    });
  expect(await lost(undefined)).toBe(7);
  expect(await lost(99)).toBeUndefined();
  expect(asked).toEqual(['/events?brief=true', '/events?brief=true&after=99']);
});

test('200 MB of output are not kept for a watcher that does not read', async () => {
  const time = new Date().toISOString();
  const data = 'x'.repeat(60_000);
  const chunks = Math.ceil(200_000_000 / data.length);
  const allSent = Promise.withResolvers<void>();
  const runtime = await impostor(
    (_request, response) => response.end(),
    (socket) => {
      let seq = 0;
      const send = () => {
        seq += 1;
        const output = { type: 'output', seq, time, actionId: 'a', shell: 'main', data };
        if (seq <= chunks) return socket.send(JSON.stringify(output), send);
        const observation = { type: 'observation', seq, time, actionId: 'a', event: {} };
        socket.send(JSON.stringify(observation), () => allSent.resolve());
      };
      send();
    },
  );
  const hub = new EventHub(0);
  await hub.attach(runtime);
  const watcher = hub.join();
  await allSent.promise;
  hub.recordedObservation(1, 'a');

  const texts: string[] = [];
  for (let isObserved = false; !isObserved;) {
    const next = await watcher.next(new AbortController().signal);
    if (next !== undefined && 'texts' in next) texts.push(...next.texts);
    else isObserved = next?.upToSeq === 1;
  }
  hub.close();
  expect(texts.join('').length).toBeLessThan(5_000_000);
  const told = texts.map((text) => JSON.parse(text) as { type: string; bytes?: number });
  const lost = told.reduce((sum, { type, bytes = 0 }) => (type === 'lost-output' ? sum + bytes : sum), 0);
  expect(lost).toBeGreaterThan(195_000_000);
});
