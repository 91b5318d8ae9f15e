import { createHash, randomBytes } from 'node:crypto';
import { symlink } from 'node:fs/promises';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startWithSandbox } from './support/with-sandbox.ts';

describe('execute_action', () => {
  const run = (command: string) => ({ action: { action: 'run', args: { command } } });

  test('goes through the session and answers with the observation', async () => {
    const { call, base, sessionHeaders, sessions } = await startWithSandbox(() => undefined);
    const headers = { ...sessionHeaders, 'idempotency-key': 'once', 'x-action-id': 'mine' };
    const answer = await call('POST', `${base}/execute_action`, { headers, body: run('date') });
    expect([answer.status, answer.json.content]).toEqual([200, 'date']);
    expect(answer.headers['x-action-id']).toBe('mine');
    expect(sessions.executed).toMatchObject([{ actionId: 'mine', idempotencyKey: 'once' }]);
  });

  test.each([
    [{ foo: 1 }, 422, 'Invalid request parameters'],
    [{ action: 'run' }, 422, 'Invalid request parameters'],
    ['', 422, 'Invalid request parameters'],
    ['{"action": {', 422, 'Invalid request parameters'],
    [{ action: { foo: 1 } }, 400, 'Unknown event type'],
    [{ action: { action: 'run', args: { command: 1 } } }, 400, 'run: args.command'],
    [{ action: { action: 'run', args: { command: 'x', bogus: 1 } } }, 400, 'bogus'],
  ])('refuses %j', async (body, status, detail) => {
    const { call, base, headers, sessions } = await startWithSandbox(() => undefined);
    const answer = await call('POST', `${base}/execute_action`, { headers, body });
    expect([answer.status, answer.json.detail]).toEqual([status, expect.stringContaining(detail)]);
    expect(sessions.executed).toEqual([]);
  });

  test('answers an action that no runtime knows with an error observation', async () => {
    const { call, base, headers, sessions } = await startWithSandbox(() => undefined);
    const body = { action: { action: 'nope' } };
    const { status, json } = await call('POST', `${base}/execute_action`, { headers, body });
    expect([status, json.observation]).toEqual([200, 'error']);
    expect(sessions.executed).toEqual([]);
  });

  test('answers 503 where the session does not run, as stock clients resume it then', async () => {
    const { call, base, sessionHeaders: headers, session } = await startWithSandbox(() => undefined);
    session.state = 'paused';
    for (const [method, path, body] of [
      ['POST', '/execute_action', run('x')],
      ['GET', '/alive', undefined],
    ] as const) {
      const { status, json, headers: answered } = await call(method, `${base}${path}`, { headers, body });
      expect([status, json.detail]).toEqual([503, 'The session is paused; resume it first']);
      expect(answered['retry-after']).toBe('5');
    }
  });

  test.each(['paused', 'stopped'] as const)('resumes a session that is %s for its owner', async (state) => {
    const { call, base, headers, sessionHeaders, session } = await startWithSandbox(() => undefined);
    session.state = state;
    const both = { ...headers, ...sessionHeaders };
    const { status } = await call('POST', `${base}/execute_action`, { headers: both, body: run('x') });
    expect([status, session.state]).toEqual([200, 'running']);
  });

  test('refuses a body of more than 64 MiB', async () => {
    const { call, base, headers } = await startWithSandbox(() => undefined);
    const declared = { ...headers, 'content-length': String(64 * 1024 * 1024 + 1), expect: '100-continue' };
    const { status } = await call('POST', `${base}/execute_action`, { headers: declared });
    expect(status).toBe(413);
  });
});

describe('what the sandbox answers itself', () => {
  test('gets there with its path and query as they are, and comes back with status and headers', async () => {
    const seen: IncomingMessage[] = [];
    const { call, base, headers, sessions, session } = await startWithSandbox((request, response) => {
      seen.push(request);
      response.writeHead(418, { 'content-type': 'application/zip', 'x-of-the-sandbox': 'yes' });
      response.end('teapot');
    });
    const answer = await call('GET', `${base}/download_files?path=%2Fa%20b&x=1`, { headers });
    expect([answer.status, answer.text]).toEqual([418, 'teapot']);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/zip' });
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/download_files?path=%2Fa%20b&x=1' });
    expect(sessions.touched).toContain(session.id);
  });

  test('sees no credential of the gateway, and sets no cookie for it', async () => {
    let seen: IncomingMessage['headers'] = {};
    const { call, base, headers, sessionHeaders } = await startWithSandbox((request, response) => {
      seen = request.headers;
      response.setHeader('set-cookie', 'fairlead=stolen');
      response.end();
    });
    const all = {
      ...headers,
      ...sessionHeaders,
      'x-api-key': headers['authorization']!.slice('Bearer '.length),
      cookie: 'fairlead=abc',
      connection: 'keep-alive, x-hop',
      'x-hop': 'by-hop',
      'x-kept': 'kept',
    };
    const answer = await call('GET', `${base}/alive`, { headers: all });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(Object.keys(seen).sort()).toEqual(['connection', 'host', 'x-kept']);
  });

  test.each(['/nothing', '/tickets', '/alive/x', '//alive', '/shells/a/b'])(
    'does not hear of %s, which no table has',
    async (path) => {
      const { call, base, headers } = await startWithSandbox((_request, response) => response.end());
      const { status, json } = await call('GET', `${base}${path}`, { headers });
      expect([status, json]).toEqual([404, { detail: 'Not Found' }]);
    },
  );

  test('cannot be made to pass on another path by what is in a name', async () => {
    const seen: string[] = [];
    const { call, base, headers } = await startWithSandbox((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    await call('DELETE', `${base}/shells/..%2f..%2falive`, { headers });
    expect(seen).toEqual(['/shells/..%2f..%2falive']);
  });

  test('has its body passed on with either framing, and none where there is none', async () => {
    const bodies: string[] = [];
    const { call, base, headers } = await startWithSandbox((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        bodies.push(`${request.method} ${body}`);
        response.end();
      });
    });
    await call('POST', `${base}/list_files`, { headers, body: '{"a": 1}' });
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    await call('POST', `${base}/list_files`, { headers: chunked, body: '{"b": 2}' });
    await call('POST', `${base}/actions/x/cancel`, { headers });
    await call('DELETE', `${base}/shells/x`, {
      headers: { ...headers, 'content-length': '5' },
      body: 'GET /',
    });
    expect(bodies).toEqual(['POST {"a": 1}', 'POST {"b": 2}', 'POST ', 'DELETE ']);
  });

  test('answers 502 where it is not there, dies before its answer, or answers no HTTP', async () => {
    const dead = await startWithSandbox((request) => request.socket.destroy());
    const answer = await dead.call('POST', `${dead.base}/upload_file`, {
      headers: dead.headers,
      body: 'x'.repeat(1e6),
    });
    expect([answer.status, answer.json.detail]).toEqual([502, expect.stringContaining('did not answer')]);
    const strange = await startWithSandbox((request) => request.socket.end('not HTTP\r\n\r\n'));
    expect((await strange.call('GET', `${strange.base}/alive`, { headers: strange.headers })).status).toBe(
      502,
    );
    dead.sessions.socketPath = '/nonexistent/server.sock';
    const gone = await dead.call('GET', `${dead.base}/alive`, { headers: dead.headers });
    expect([gone.status, gone.json.detail]).toEqual([502, expect.stringContaining('ENOENT')]);
  });

  test('cannot have another socket of the machine asked in its place', async () => {
    const { call, watch, base, headers, sessions } = await startWithSandbox((_request, response) =>
      response.end('secret'),
    );
    const link = `${sessions.socketPath}.link`;
    await symlink(sessions.socketPath, link);
    sessions.socketPath = link;
    const answer = await call('GET', `${base}/alive`, { headers });
    expect([answer.status, answer.text]).toEqual([502, expect.not.stringContaining('secret')]);
    expect(await watch(`${base}/shells/main/terminal`, headers).closed).toMatchObject({ code: 1011 });
  });

  test('that dies in the middle of its answer cuts the answer off', async () => {
    const { call, base, headers, kill } = await startWithSandbox((_request, response) => {
      response.writeHead(200);
      response.write('half');
      setImmediate(() => kill());
    });
    await expect(call('GET', `${base}/download_files?path=/`, { headers })).rejects.toThrow(
      /aborted|hang up/,
    );
  });

  test('that answers before it has read everything is heard', async () => {
    const { call, base, headers } = await startWithSandbox((_request, response) => {
      response.writeHead(507, { 'content-type': 'application/json' });
      response.end('{"detail":"full"}');
    });
    const body = Buffer.alloc(20_000_000);
    const answer = await call('POST', `${base}/upload_file?destination=/`, { headers, body });
    expect([answer.status, answer.json]).toEqual([507, { detail: 'full' }]);
    expect((await call('GET', '/api/me', { headers })).status).toBe(200);
  });

  test('learns that the client has left', async () => {
    let isClosed = false;
    let isHeard = false;
    const { base, headers, server } = await startWithSandbox((request, response) => {
      isHeard = true;
      response.on('close', () => (isClosed = true));
      request.resume();
    });
    const request = httpRequest({ port: server.port, path: `${base}/download_files?path=/`, headers });
    request.on('error', () => undefined);
    request.end();
    await expect.poll(() => isHeard).toBe(true);
    request.destroy();
    await expect.poll(() => isClosed).toBe(true);
  });

  test('passes large bodies both ways, whole and in little memory', async () => {
    const sizeBytes = 256 * 1024 * 1024;
    const block = randomBytes(1024 * 1024);
    const { base, headers, server } = await startWithSandbox((request, response) => {
      if (request.method === 'POST') {
        const hash = createHash('sha256');
        request.on('data', (chunk: Buffer) => hash.update(chunk));
        request.on('end', () => response.end(hash.digest('hex')));
        return;
      }
      let left = sizeBytes;
      const send = () => {
        while (left > 0) {
          left -= block.length;
          if (!response.write(block)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    });
    const expected = createHash('sha256');
    for (let at = 0; at < sizeBytes; at += block.length) expected.update(block);
    const digest = expected.digest('hex');
    const memory = watchMemory();
    expect(await upload(server.port, `${base}/upload_file`, headers, block, sizeBytes)).toBe(digest);
    expect(await download(server.port, `${base}/download_files?path=/`, headers)).toBe(digest);
    // Both ends are in this process too.
    expect(memory.grownBytes()).toBeLessThan(128 * 1024 * 1024);
  });
});

describe('the terminal', () => {
  test('passes messages on both ways as they are, with the query, and none of the credentials', async () => {
    let seen: IncomingMessage | undefined;
    const { watch, base, sessionHeaders, sessions, session } = await startWithSandbox(
      () => undefined,
      (socket, request) => {
        seen = request;
        socket.send(Buffer.from([0, 255]));
        socket.on('message', (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }));
      },
    );
    const watcher = watch(`${base}/shells/main/terminal?cols=100&rows=30`, sessionHeaders);
    expect(await watcher.refusal).toBeUndefined();
    watcher.socket.send('{"type":"input","data":"ls\\r"}');
    watcher.socket.send(Buffer.from('bytes'));
    await watcher.until(({ messages }) => messages.length === 3);
    expect(watcher.messages.map(String)).toEqual([
      Buffer.from([0, 255]).toString(),
      '{"type":"input","data":"ls\\r"}',
      'bytes',
    ]);
    expect(seen?.url).toBe('/shells/main/terminal?cols=100&rows=30');
    expect(JSON.stringify(seen?.headers)).not.toContain('fs_');
    expect(sessions.touched.length).toBeGreaterThanOrEqual(2);
    expect(new Set(sessions.touched)).toEqual(new Set([session.id]));
  });

  test('ends as the sandbox ends it, and tells the sandbox when the viewer leaves', async () => {
    const ended = await startWithSandbox(
      () => undefined,
      (socket) => socket.close(1008, 'cols: too small'),
    );
    const terminal = (it: typeof ended) => it.watch(`${it.base}/shells/main/terminal`, it.headers);
    expect(await terminal(ended).closed).toEqual({ code: 1008, reason: 'cols: too small' });
    const killed = await startWithSandbox(
      () => undefined,
      (socket) => socket.terminate(),
    );
    expect(await terminal(killed).closed).toMatchObject({
      code: 1011,
      reason: expect.stringContaining('again'),
    });
    killed.sessions.socketPath = '/nonexistent/server.sock';
    expect(await terminal(killed).closed).toMatchObject({ code: 1011 });
    killed.session.state = 'stopped';
    expect(await terminal(killed).closed).toMatchObject({
      code: 1008,
      reason: expect.stringContaining('stopped'),
    });
    let hasLeft = false;
    const left = await startWithSandbox(
      () => undefined,
      (socket) => {
        socket.send('hello');
        socket.on('close', () => (hasLeft = true));
      },
    );
    const viewer = terminal(left);
    await viewer.until(({ messages }) => messages.length === 1);
    viewer.socket.close();
    await expect.poll(() => hasLeft).toBe(true);
  });

  test('holds the sandbox back for a viewer that does not read', async () => {
    let sentBytes = 0;
    const { watch, base, headers } = await startWithSandbox(
      () => undefined,
      (socket) => {
        const chunk = Buffer.alloc(100_000);
        const send = () => {
          if (socket.readyState !== socket.OPEN || sentBytes >= 200_000_000) return;
          sentBytes += chunk.length;
          socket.send(chunk, send);
        };
        send();
      },
    );
    const watcher = watch(`${base}/shells/main/terminal`, headers);
    await watcher.until(({ messages }) => messages.length > 0);
    watcher.socket.pause();
    let last = -1;
    while (last !== sentBytes) {
      last = sentBytes;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(sentBytes).toBeLessThan(50_000_000);
    watcher.socket.resume();
    await expect.poll(() => sentBytes, { timeout: 15_000 }).toBe(200_000_000);
  });
});

function watchMemory(): { grownBytes(): number } {
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  onTestFinished(() => clearInterval(timer));
  return { grownBytes: () => peak - before };
}

function upload(
  port: number,
  path: string,
  headers: Record<string, string>,
  block: Buffer,
  sizeBytes: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, method: 'POST', path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
    let left = sizeBytes;
    const send = () => {
      while (left > 0) {
        left -= block.length;
        if (!request.write(block)) return void request.once('drain', send);
      }
      request.end();
    };
    send();
  });
}

function download(port: number, path: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, path, headers }, (response) => {
      const hash = createHash('sha256');
      response.on('data', (chunk: Buffer) => hash.update(chunk));
      response.on('end', () => resolve(hash.digest('hex')));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}
