import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { call, run, startTestServer } from './support/test-server.ts';

const key = 'correct-horse';
const keyed = { 'x-session-api-key': key };

describe('the session key', () => {
  test('opens every path but /alive and /server_info, which need none', async () => {
    const { get, act, executor } = await startTestServer({ sessionApiKey: key });
    for (const path of ['/alive', '/server_info']) expect((await get(path)).status).toBe(200);
    for (const path of ['/actions', '/shells', '/openapi.json', '/docs', '/nothing', '/events']) {
      const answer = await get(path);
      expect([path, answer.status, answer.json]).toEqual([path, 403, { detail: 'Invalid API Key' }]);
    }
    expect((await act(run('secret'))).status).toBe(403);
    expect(executor.executed).toEqual([]);
    expect((await act(run('ok'), keyed)).status).toBe(200);
  });

  test.each(['', 'correct-hors', 'correct-horsf', `${key}, ${key}`, 'CORRECT-HORSE'])(
    'is not %j',
    async (wrong) => {
      const { get } = await startTestServer({ sessionApiKey: key });
      expect((await get('/actions', { 'x-session-api-key': wrong })).status).toBe(403);
    },
  );

  test('is never logged, nor is what was sent', async () => {
    const { post, logged } = await startTestServer({ sessionApiKey: key });
    await post('/execute_action?token=in-query', '{"private": ', keyed);
    await post('/execute_action', '{"private": ', { 'x-session-api-key': 'wrong-key' });
    expect(logged).toEqual([
      expect.stringMatching(/POST \/execute_action 422$/),
      expect.stringMatching(/POST \/execute_action 403$/),
    ]);
  });
});

describe('WebSockets', () => {
  test('need the key or a ticket, which works once', async () => {
    const { post, watch } = await startTestServer({ sessionApiKey: key });
    expect(await watch('/events').refused()).toBe(403);
    expect(await watch('/events?ticket=made-up').refused()).toBe(403);
    await watch('/events', keyed).open();
    expect((await post('/tickets', {})).status).toBe(403);
    const { status, json } = await post('/tickets', {}, keyed);
    expect([status, json.expires_in]).toEqual([201, 30]);
    await watch(`/events?ticket=${json.ticket}`).open();
    expect(await watch(`/events?ticket=${json.ticket}`).refused()).toBe(403);
  });

  test('a ticket is not a key for requests', async () => {
    const { get, post } = await startTestServer({ sessionApiKey: key });
    const { json } = await post('/tickets', {}, keyed);
    expect((await get(`/actions?ticket=${json.ticket}`)).status).toBe(403);
  });

  test('pages of other sites are refused', async () => {
    const { watch } = await startTestServer();
    expect(await watch('/events', { origin: 'http://evil.example' }).refused()).toBe(403);
    expect(await watch('/events', { host: 'evil.example' }).refused()).toBe(403);
  });

  test('exist only where a WebSocket is served, and nothing else is served there', async () => {
    const { get, watch } = await startTestServer();
    expect(await watch('/alive').refused()).toBe(400);
    expect(await watch('/nothing').refused()).toBe(404);
    const answer = await get('/events');
    expect([answer.status, answer.headers.upgrade]).toEqual([426, 'websocket']);
  });
});

describe('Host and Origin', () => {
  test.each(['localhost', 'localhost:3000', '127.0.0.1:1', '[::1]:80', 'app.localhost', 'LOCALHOST'])(
    'Host %s is this machine',
    async (host) => {
      const { get } = await startTestServer();
      expect((await get('/alive', { host })).status).toBe(200);
    },
  );

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])(
    'Host %j is refused, also for /alive',
    async (host) => {
      const { get } = await startTestServer();
      const answer = await get('/alive', { host });
      expect(answer.status).toBe(403);
      expect(answer.json.detail).toContain('--allowed-host');
    },
  );

  test('--allowed-host adds a name', async () => {
    const { get } = await startTestServer({
      listenOn: { kind: 'port', host: '127.0.0.1', port: 0, allowedHosts: ['Box.Example'] },
    });
    expect((await get('/alive', { host: 'box.example:8000' })).status).toBe(200);
    expect((await get('/alive', { host: 'other.example' })).status).toBe(403);
  });

  test('an Origin must be the same host and port', async () => {
    const { get } = await startTestServer();
    const from = (origin: string) => get('/alive', { host: 'localhost:3000', origin });
    expect((await from('http://localhost:3000')).status).toBe(200);
    for (const origin of ['http://localhost:4000', 'http://evil.example', 'null', 'file://']) {
      expect([origin, (await from(origin)).status]).toEqual([origin, 403]);
    }
  });
});

describe('requests that are not in order', () => {
  test('unknown paths and methods', async () => {
    const { get, server } = await startTestServer();
    expect(await get('/nothing')).toMatchObject({ status: 404, json: { detail: 'Not Found' } });
    const wrong = await call(server.port, 'PUT', '/alive');
    expect(wrong).toMatchObject({ status: 405, json: { detail: 'Method Not Allowed' } });
    expect(wrong.headers.allow).toBe('GET, HEAD');
    expect((await call(server.port, 'HEAD', '/alive')).status).toBe(200);
    expect((await call(server.port, 'POST', '/actions/%zz/cancel')).status).toBe(400);
  });

  test('bytes that are not HTTP, and headers that are too long', async () => {
    const { server } = await startTestServer();
    expect(await raw(server.port, 'what is this\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"detail":"Bad request/s);
    const long = `GET /alive HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`;
    expect(await raw(server.port, long)).toMatch(/^HTTP\/1.1 431 /);
  });

  test('a declared body that is too large is refused before it comes', async () => {
    const { server } = await startTestServer();
    const head = `POST /list_files HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1048577\r\n\r\n`;
    const text = await raw(server.port, head, (answer) => answer.includes('}'));
    expect(text).toMatch(/^HTTP\/1.1 413 .*1048576 bytes/s);
  });

  test('a body of unknown length is refused as soon as it is too large', async () => {
    const { server } = await startTestServer();
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const head = 'POST /list_files HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n';
    const text = await raw(server.port, head + chunk.repeat(20), (answer) => answer.includes('}'));
    expect(text).toMatch(/^HTTP\/1.1 413 /);
  });
});

function raw(port: number, text: string, isEnough = (_answer: string) => false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
      if (isEnough(answer)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
