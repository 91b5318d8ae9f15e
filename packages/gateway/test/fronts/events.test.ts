import { connect as connectTcp } from 'node:net';
import { io } from 'socket.io-client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStream } from './support/open-stream.ts';
import { connected, type Json, startTestGateway } from './support/test-gateway.ts';
import { cookieFor } from './support/visitors.ts';

/** A gateway with one session, and three events in its journal. */
async function startWatched() {
  const gateway = await startTestGateway();
  const tenant = await gateway.addTenant('anna');
  for (const text of ['one', 'two', 'three']) gateway.sessions.record(text);
  return { ...gateway, ...tenant, path: `/api/sessions/${tenant.session.id}/events` };
}

const commands = (events: Json[]) => events.map(({ type, event }) => event?.args.command ?? type);

describe.each(['/api/sessions/{session}/events', '/runtimes/{session}/events'])('WebSocket %s', (pattern) => {
  test('replays what is behind the number, then goes on live', async () => {
    const { watch, headers, session, sessions } = await startWatched();
    const watcher = watch(`${pattern.replace('{session}', session.id)}?after=1`, headers);
    await watcher.until(({ messages }) => messages.length === 3);
    sessions.output('hello');
    sessions.record('four');
    await watcher.until(({ messages }) => messages.length === 5);
    expect(commands(watcher.events)).toEqual(['two', 'three', 'live', 'output', 'four']);
    expect(watcher.events[2]).toEqual({ type: 'live', seq: 3 });
  });

  test('starts now without a number', async () => {
    const { watch, headers, session, sessions } = await startWatched();
    const watcher = watch(pattern.replace('{session}', session.id), headers);
    await watcher.until(({ messages }) => messages.length === 1);
    sessions.record('four');
    await watcher.until(({ messages }) => messages.length === 2);
    expect(commands(watcher.events)).toEqual(['live', 'four']);
  });

  test('closes on a wrong number, on messages, and when the session is removed', async () => {
    const { watch, headers, session, sessions, path } = await startWatched();
    expect(await watch(`${path}?after=x`, headers).closed).toMatchObject({ code: 1008 });
    const beyond = await watch(`${path}?after=9`, headers).closed;
    expect(beyond).toEqual({ code: 1008, reason: 'after=9 is beyond the last number' });
    const talker = watch(path, headers);
    await talker.until(({ messages }) => messages.length === 1);
    talker.socket.send('hello');
    expect(await talker.closed).toMatchObject({ code: 1008 });
    const left = watch(path, headers);
    await left.until(({ messages }) => messages.length === 1);
    await sessions.remove(session.id);
    sessions.output('wakes it');
    expect(await left.closed).toMatchObject({ code: 1001 });
    expect(sessions.watching).toBe(0);
  });
});

describe('server-sent events', () => {
  test('have the number of what is in the journal as their id, and nothing else has one', async () => {
    const { server, headers, sessions, path } = await startWatched();
    const stream = await openStream(server.port, `${path}?after=2`, headers);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    await stream.until((text) => text.includes('"live"'));
    sessions.output('hello\nthere');
    sessions.record('four');
    await stream.until((text) => text.includes('four'));
    const messages = stream.text.trimEnd().split('\n\n');
    expect(messages.map((message) => /^id: (\d+)$/m.exec(message)?.[1])).toEqual([
      '3',
      undefined,
      undefined,
      '4',
    ]);
    const events = messages.map((message) => JSON.parse(/^data: (.*)$/m.exec(message)![1]!));
    expect(commands(events)).toEqual(['three', 'live', 'output', 'four']);
    expect(events[2].data).toBe('hello\nthere');
  });

  test('go on behind Last-Event-ID when a browser comes back to the same address', async () => {
    const { server, headers, path } = await startWatched();
    const stream = await openStream(server.port, `${path}?after=0`, { ...headers, 'last-event-id': '2' });
    await stream.until((text) => text.includes('"live"'));
    expect(stream.text).toContain('three');
    expect(stream.text).not.toContain('two');
  });

  test('are refused with a wrong number, before anything is streamed', async () => {
    const { call, headers, path, sessions } = await startWatched();
    const accept = { ...headers, accept: 'text/event-stream' };
    expect((await call('GET', `${path}?after=-1`, { headers: accept })).status).toBe(422);
    expect((await call('GET', `${path}?after=9`, { headers: accept })).status).toBe(400);
    const strange = { ...accept, 'last-event-id': 'x' };
    expect((await call('GET', path, { headers: strange })).status).toBe(422);
    expect((await call('GET', path, { headers })).status).toBe(426);
    expect(sessions.watching).toBe(0);
  });

  test('end the watch when the client leaves', async () => {
    const { server, headers, path, sessions } = await startWatched();
    const stream = await openStream(server.port, path, headers);
    await stream.until((text) => text.includes('"live"'));
    expect(sessions.watching).toBe(1);
    stream.leave();
    await expect.poll(() => sessions.watching).toBe(0);
  });
});

describe('the journal', () => {
  test('comes as lines of JSON from a number on, without what is live only', async () => {
    const { call, headers, session } = await startWatched();
    const path = `/api/sessions/${session.id}/journal`;
    const all = await call('GET', path, { headers });
    expect(all.headers['content-type']).toBe('application/x-ndjson');
    const lines = all.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(commands(lines)).toEqual(['one', 'two', 'three']);
    expect((await call('GET', `${path}?after=3`, { headers })).text).toBe('');
    expect((await call('GET', `${path}?after=4`, { headers })).status).toBe(400);
    expect((await call('GET', `${path}?after=a`, { headers })).status).toBe(422);
  });
});

describe('a watcher that does not read', () => {
  /** 50 batches of a megabyte, of which the system itself holds some. */
  async function startLong() {
    const gateway = await startWatched();
    const { sessions } = gateway;
    const text = 'x'.repeat(10_000);
    for (let at = 0; at < 5_000; at += 1) sessions.record(text);
    const taken = { batches: 0 };
    const { watch } = sessions;
    sessions.watch = async function* (id, options) {
      for await (const batch of watch.call(sessions, id, options)) {
        taken.batches += 1;
        yield batch;
      }
    };
    return { ...gateway, taken, journal: `/api/sessions/${gateway.session.id}/journal` };
  }

  test.each(['journal', 'path'] as const)('is sent no more of the %s as lines or messages', async (which) => {
    const { server, headers, taken, ...paths } = await startLong();
    const client = connectTcp(server.port, '127.0.0.1');
    onTestFinished(() => void client.destroy());
    client.pause();
    const head = Object.entries({ ...headers, host: 'localhost', accept: 'text/event-stream' });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    client.write(`GET ${paths[which]}?after=0 HTTP/1.1\r\n${lines}\r\n`);
    await expect.poll(() => taken.batches).toBeGreaterThan(1);
    expect(await settledValue(() => taken.batches)).toBeLessThan(25);
    let received = 0;
    client.on('data', (chunk) => (received += chunk.length));
    client.resume();
    await expect.poll(() => received, { timeout: 10_000 }).toBeGreaterThan(50_000_000);
  });

  test('is sent no more over a WebSocket', async () => {
    const { watch, headers, taken, path } = await startLong();
    const watcher = watch(`${path}?after=0`, headers);
    await watcher.until(({ messages }) => messages.length > 0);
    watcher.socket.pause();
    expect(await settledValue(() => taken.batches)).toBeLessThan(25);
    watcher.socket.resume();
    await watcher.until(({ messages }) => messages.length === 5_004);
  });
});

test('a cookie alone watches nothing: a page of its own says so', async () => {
  const gateway = await startWatched();
  const { cookie } = await cookieFor(gateway, gateway.headers);
  const accept = 'text/event-stream';
  const foreign = await gateway.call('GET', gateway.path, { headers: { cookie: cookie!, accept } });
  expect([foreign.status, foreign.json.detail]).toEqual([403, expect.stringContaining('needs an Origin')]);
  const own = { cookie: cookie!, 'sec-fetch-site': 'same-origin' };
  const stream = await openStream(gateway.server.port, gateway.path, own);
  await stream.until((text) => text.includes('"live"'));
});

describe('Socket.IO', () => {
  test('sends batches of events, the next when the one before is acknowledged', async () => {
    const { connect, call, headers, session } = await startWatched();
    const socket = connect({}, headers);
    const batches: { events: Json[]; done(): void }[] = [];
    socket.on('events', (events: Json[], done: () => void) => void batches.push({ events, done }));
    expect(await connected(socket)).toBe('connected');
    expect(await socket.emitWithAck('watch', { session: session.id, after: 1 })).toEqual({ ok: true });
    await expect.poll(() => batches.length).toBe(1);
    expect(commands(batches[0]!.events)).toEqual(['two', 'three']);
    // The server has had the time to send what it would have sent.
    await call('GET', '/api/me', { headers });
    expect(batches.length).toBe(1);
    batches[0]!.done();
    await expect.poll(() => batches.length).toBe(2);
    expect(commands(batches[1]!.events)).toEqual(['live']);
  });

  test('disconnects a watcher that does not acknowledge for a minute', async () => {
    const { connect, headers, session, sessions } = await startWatched();
    const socket = connect({}, headers);
    const disconnected = new Promise((resolve) => socket.on('disconnect', resolve));
    await connected(socket);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await socket.emitWithAck('watch', { session: session.id, after: 1 });
    // In steps, so that both sides hear each other's heartbeats on the way.
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await vi.advanceTimersByTimeAsync(5_000);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await disconnected).toBe('io server disconnect');
    expect(sessions.watching).toBe(0);
  });

  test('watches again in place of the watch before, and stops on unwatch', async () => {
    const { connect, headers, session, sessions } = await startWatched();
    const socket = connect({}, headers);
    const seen: Json[] = [];
    socket.on('events', (events: Json[], done: () => void) => {
      seen.push(...commands(events));
      done();
    });
    await connected(socket);
    await socket.emitWithAck('watch', { session: session.id, after: 2 });
    await expect.poll(() => seen).toEqual(['three', 'live']);
    await socket.emitWithAck('watch', { session: session.id });
    await expect.poll(() => seen).toEqual(['three', 'live', 'live']);
    expect(sessions.watching).toBe(1);
    socket.emit('unwatch');
    await expect.poll(() => sessions.watching).toBe(0);
  });

  test.each([
    [{}, 422],
    [null, 422],
    ['text', 422],
    [{ session: 5 }, 422],
    [{ session: 'x', after: -1 }, 422],
    [{ session: 'x', after: 1.5 }, 422],
    [{ session: 'x' }, 404],
  ])('refuses to watch %j', async (wanted, status) => {
    const { connect, headers, sessions } = await startWatched();
    const socket = connect({}, headers);
    await connected(socket);
    expect(await socket.emitWithAck('watch', wanted)).toMatchObject({ ok: false, status });
    socket.emit('watch', wanted);
    expect(await socket.emitWithAck('watch', wanted)).toMatchObject({ ok: false, status });
    expect(sessions.watching).toBe(0);
  });

  test('says that a number is beyond the last', async () => {
    const { connect, headers, session } = await startWatched();
    const socket = connect({}, headers);
    await connected(socket);
    const answer: unknown = await socket.emitWithAck('watch', { session: session.id, after: 9 });
    expect(answer).toEqual({ ok: false, status: 400, detail: 'after=9 is beyond the last number' });
  });

  test('ends the watch with the connection, and the connection with the session', async () => {
    const { connect, headers, session, sessions } = await startWatched();
    const first = connect({}, headers);
    await connected(first);
    await first.emitWithAck('watch', { session: session.id });
    expect(sessions.watching).toBe(1);
    first.disconnect();
    await expect.poll(() => sessions.watching).toBe(0);
    const second = connect({}, headers);
    second.on('events', (_events: Json[], done: () => void) => done());
    const disconnected = new Promise((resolve) => second.on('disconnect', resolve));
    await connected(second);
    await second.emitWithAck('watch', { session: session.id });
    await sessions.remove(session.id);
    sessions.output('wakes it');
    expect(await disconnected).toBe('io server disconnect');
  });

  test('refuses any other namespace, with or without a key', async () => {
    const { server, headers } = await startWatched();
    for (const namespace of ['/', '/other']) {
      const socket = io(`${server.url}${namespace}`, {
        extraHeaders: headers,
        reconnection: false,
        forceNew: true,
      });
      onTestFinished(() => void socket.disconnect());
      expect(await connected(socket)).not.toBe('connected');
    }
  });

  test('takes a cookie alone for nothing: a page of its own says so', async () => {
    const gateway = await startWatched();
    const { cookie, origin } = await cookieFor(gateway, gateway.headers);
    const needsOrigin = { status: 403, detail: expect.stringContaining('needs an Origin header') };
    expect(await connected(gateway.connect({}, { cookie: cookie! }))).toEqual(needsOrigin);
    expect(await connected(gateway.connect({}, { cookie: cookie!, origin: origin! }))).toBe('connected');
    const sameOrigin = { cookie: cookie!, 'sec-fetch-site': 'same-origin' };
    expect(await connected(gateway.connect({}, sameOrigin))).toBe('connected');
    const key = gateway.headers['authorization']!.replace('Bearer ', '');
    expect(await connected(gateway.connect({ key }, { cookie: cookie! }))).toBe('connected');
  });

  test('refuses pages of other sites, on each transport', async () => {
    const { call, watch, headers } = await startWatched();
    const foreign = { ...headers, origin: 'https://evil.example' };
    const polling = await call('GET', '/socket.io/?EIO=4&transport=polling', { headers: foreign });
    expect([polling.status, polling.text]).toEqual([403, expect.stringContaining('not this gateway')]);
    const refusal = await watch('/socket.io/?EIO=4&transport=websocket', foreign).refusal;
    expect(refusal).toEqual({ status: 403, text: expect.stringContaining('not this gateway') });
    const rebound = { ...headers, host: 'evil.example' };
    expect((await call('GET', '/socket.io/?EIO=4&transport=polling', { headers: rebound })).status).toBe(403);
  });
});

/** What it is when it has not changed for a while. */
async function settledValue(value: () => number): Promise<number> {
  for (let last = -1, sameFor = 0; ; sameFor = last === value() ? sameFor + 1 : 0) {
    if (sameFor >= 10) return last;
    last = value();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
