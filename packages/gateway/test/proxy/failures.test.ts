import { once } from 'node:events';
import { createServer as createRawServer, type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from './support/app.ts';
import { prefix, startFront } from './support/front.ts';
import { Wire } from './support/wire.ts';

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('a server that is not there', () => {
  it('is a page that loads itself again, and JSON for programs', async () => {
    const app = await startApp((_request, response) => response.end('up'));
    const front = await startFront(app);
    await app.stop();
    const page = await fetch(front.url, { headers: asBrowser });
    expect(page.status).toBe(503);
    expect(page.headers.get('retry-after')).toBe('2');
    expect(page.headers.get('cache-control')).toBe('no-store');
    const html = await page.text();
    expect(html).toContain('Nothing listens on port 3000 yet');
    expect(html).toContain('<meta http-equiv="refresh" content="2">');
    const json = await fetch(front.url);
    expect(json.headers.get('content-type')).toBe('application/json');
    expect(await json.json()).toEqual({
      detail:
        'Nothing listens on port 3000 yet: Start an app in this session on port 3000 ($APP_PORT_1); this page shows ' +
        'it as soon as it answers',
    });
  });

  it('is an answer also to an upload, to HEAD and to a WebSocket', async () => {
    const app = await startApp(() => undefined);
    const front = await startFront(app);
    await app.stop();
    const wire = new Wire(front.port).request(`POST ${prefix}/`, 'Content-Length: 4000000');
    wire.write(Buffer.alloc(4_000_000)).request(`HEAD ${prefix}/`, 'Accept: text/html', 'Connection: close');
    const answers = await wire.ends();
    expect(answers.match(/HTTP\/1\.1 503/g)).toHaveLength(2);
    expect(answers).not.toContain('<html');
    const socket = new Wire(front.port).request(`GET ${prefix}/`, ...webSocket);
    expect(await socket.ends()).toMatch(/^HTTP\/1\.1 503 [^]*Nothing listens/);
  });

  it('is found when it is started', async () => {
    const port = await unusedPort();
    const front = await startFront({ address: { host: '127.0.0.1', port } });
    expect((await fetch(front.url)).status).toBe(503);
    const late = createRawServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup');
    });
    late.listen(port, '127.0.0.1');
    onTestFinished(() => void late.close());
    await once(late, 'listening');
    expect(await (await fetch(front.url)).text()).toBe('up');
  });
});

describe('a server that dies', () => {
  it('before it answers is a clear page', async () => {
    const app = await startApp((request) => request.socket.destroy());
    const front = await startFront(app);
    const answer = await fetch(front.url, { method: 'POST', body: 'x', headers: asBrowser });
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('The server behind this page has ended the connection');
    expect(app.requests).toHaveLength(1);
  });

  it.each([
    ['with a length', { 'content-length': 100 }],
    ['in chunks', {}],
  ])('in the middle of an answer %s breaks it off', async (_how, headers) => {
    const app = await startApp((request, response) => {
      response.writeHead(200, headers);
      response.write('half', () => request.socket.destroy());
    });
    const front = await startFront(app);
    const answer = await new Wire(front.port).request(`GET ${prefix}/`).ends();
    expect(answer).toContain('half');
    expect(answer).not.toMatch(/0\r\n\r\n$/);
  });

  it('while its connection waits to be used again is asked once more', async () => {
    const app = await startApp((_request, response) => response.end('ok'));
    const front = await startFront(app);
    await (await fetch(front.url)).text();
    app.drop();
    expect(await (await fetch(front.url)).text()).toBe('ok');
  });

  it.each([
    ['unix', 'destroy'],
    ['tcp', 'destroy'],
    ['tcp', 'resetAndDestroy'],
  ] as const)(
    'at the moment when its connection is used again is asked once more, where nothing can happen twice (%s, %s)',
    async (on, die) => {
      let isDying = false;
      const app = await startApp(
        (request, response) => {
          if (!isDying) return void response.end('ok');
          isDying = false;
          request.socket[die]();
        },
        { on },
      );
      const front = await startFront(app);
      await (await fetch(front.url)).text();
      isDying = true;
      expect(await (await fetch(front.url)).text()).toBe('ok');
      isDying = true;
      expect((await fetch(front.url, { method: 'POST' })).status).toBe(502);
      expect(app.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST']);
    },
  );

  it.each([
    ['unix', 'destroy'],
    ['tcp', 'resetAndDestroy'],
  ] as const)('on a connection that was not used before is asked once (%s, %s)', async (on, die) => {
    const app = await startApp((request) => void request.socket[die](), { on });
    const front = await startFront(app);
    expect((await fetch(front.url)).status).toBe(502);
    expect(app.requests).toHaveLength(1);
  });

  it('when its answer has begun is asked once', async () => {
    const app = await startApp((request, response) => {
      if (app.requests.length === 1) response.end('ok');
      else request.socket.end('HTTP/1.1 20');
    });
    const front = await startFront(app);
    await (await fetch(front.url)).text();
    expect((await fetch(front.url)).status).toBe(502);
    expect(app.requests).toHaveLength(2);
  });
});

describe('an answer that is none', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['status 0', 'HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\nno'],
    ['status 99', 'HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nno'],
    ['status 600', 'HTTP/1.1 600 X\r\nContent-Length: 2\r\n\r\nno'],
    ['an upgrade', 'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['too long headers', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('is told from a connection that has ended: %s', async (_what, answer) => {
    const raw = createRawServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(answer));
    });
    raw.listen(0, '127.0.0.1');
    onTestFinished(() => void raw.close());
    await once(raw, 'listening');
    const front = await startFront({
      address: { host: '127.0.0.1', port: (raw.address() as AddressInfo).port },
    });
    const refusal = await fetch(front.url, { headers: asBrowser });
    expect(refusal.status).toBe(502);
    expect(await refusal.text()).toContain('answered with something that is not HTTP');
  });
});

describe('a client that leaves', () => {
  it('ends what the server sends', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const app = await startApp((_request, response) => {
      closed = once(response, 'close');
      response.write('first');
    });
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/`);
    await wire.reads(/first/);
    wire.socket.destroy();
    await closed;
  });

  it('ends what the server waits for', async () => {
    const app = await startApp(() => undefined);
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`POST ${prefix}/`, 'Content-Length: 10').write('abc');
    await until(() => app.requests.length === 1);
    const aborted = new Promise((resolve) => app.requests[0]!.once('close', resolve));
    wire.socket.destroy();
    await aborted;
    expect(app.requests[0]!.complete).toBe(false);
  });

  it('before there is a connection to the server costs nothing', async () => {
    let connects = 0;
    const app = await startApp((_request, response) => response.end('ok'));
    const gate = Promise.withResolvers<void>();
    const front = await startFront(app, {
      async connect() {
        connects += 1;
        await gate.promise;
        const socket = connect(app.address);
        await once(socket, 'connect');
        return socket;
      },
    });
    const wire = new Wire(front.port).request(`GET ${prefix}/`);
    await until(() => connects === 1);
    wire.socket.destroy();
    await once(wire.socket, 'close');
    // The front has seen the end of that connection when it answers on another one.
    const other = fetch(front.url);
    await until(() => connects === 2);
    gate.resolve();
    await other;
    expect(app.requests).toHaveLength(1);
  });
});

describe('the connections of a session', () => {
  it('are bounded, and one that ends makes room', async () => {
    const finish: (() => void)[] = [];
    const app = await startApp((_request, response) => finish.push(() => response.end('done')), {
      upgrade: (_request, socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    });
    const front = await startFront(app, { connectionsPerSession: 2 });
    const wire = new Wire(front.port).request(`GET ${prefix}/`);
    const socket = new Wire(front.port).request(`GET ${prefix}/`, ...webSocket);
    await socket.reads(/ 101 /);
    await until(() => finish.length === 1);

    const refused = await fetch(front.url, { headers: asBrowser });
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('Too many connections to this session are open');
    expect(await new Wire(front.port).request(`GET ${prefix}/`, ...webSocket).ends()).toMatch(
      /^HTTP\/1\.1 503/,
    );

    finish.shift()!();
    await wire.reads(/done/);
    const next = fetch(front.url);
    await until(() => finish.length === 1);
    finish.shift()!();
    expect((await next).status).toBe(200);
  });
});

describe('a request that two servers could read in two ways', () => {
  it.each([
    ['with a length and with chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\nG'],
    ['with two lengths', ['Content-Length: 5', 'Content-Length: 6'], 'aaaaaa'],
    ['with a length that is none', ['Content-Length: +5'], 'aaaaa'],
    ['in a coding that nobody knows', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['in chunks inside of another coding', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
    ['with a folded header', ['X-A: 1', ' Transfer-Encoding: chunked'], ''],
    ['with a space before the colon', ['Transfer-Encoding : chunked'], '0\r\n\r\n'],
    ['with a bare line feed', ['X-A: 1\nX-B: 2'], ''],
    ['with a NUL', ['X-A: 1\0'], ''],
  ])('%s does not reach the server', async (_how, headers, body) => {
    const app = await startApp((_request, response) => response.end('reached'));
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`POST ${prefix}/`, ...headers, 'Connection: close').write(body);
    expect(await wire.ends()).toMatch(/^HTTP\/1\.1 400/);
    expect(app.requests).toHaveLength(0);
  });

  it('is refused as an upgrade with a body', async () => {
    const app = await startApp(() => undefined, { upgrade: (_request, socket) => socket.destroy() });
    const front = await startFront(app);
    const wire = new Wire(front.port)
      .request(`GET ${prefix}/`, ...webSocket, 'Content-Length: 3')
      .write('abc');
    expect(await wire.ends()).toMatch(/^HTTP\/1\.1 400/);
    expect(app.requests).toHaveLength(0);
  });

  it('is framed anew where a client disowns its length', async () => {
    const app = await startApp((request, response) => void request.pipe(response));
    const front = await startFront(app);
    const wire = new Wire(front.port).request(
      `POST ${prefix}/`,
      'Content-Length: 3',
      'Connection: close, Content-Length',
    );
    expect(await wire.write('abc').ends()).toMatch(/^HTTP\/1\.1 200 [^]*abc/);
    expect(app.requests).toHaveLength(1);
  });
});

const webSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: a',
  'Sec-WebSocket-Version: 13',
];

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function unusedPort(): Promise<number> {
  const probe = createRawServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
