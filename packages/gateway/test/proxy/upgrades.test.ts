import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type App, startApp } from './support/app.ts';
import { type Front, type FrontOptions, prefix, startFront } from './support/front.ts';
import { Wire } from './support/wire.ts';

const asking = ['Connection: keep-alive, Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: abc'];
const acceptance = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';

describe('a WebSocket', () => {
  it('carries messages of any kind and size both ways, and its close code', async () => {
    const { front } = await startEcho();
    const socket = open(front, 'chat?x=1', ['first', 'second']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('second');
    for (const sent of ['text', Buffer.from([0, 1, 255]), Buffer.alloc(3_000_000, 7)]) {
      socket.send(sent);
      const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
      expect(isBinary).toBe(typeof sent !== 'string');
      expect(data.equals(Buffer.from(sent))).toBe(true);
    }
    socket.send('close');
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    expect([code, String(reason)]).toEqual([4001, 'as you wish']);
  });

  it('counts as traffic of the session', async () => {
    const { front } = await startEcho();
    const socket = open(front, '');
    await once(socket, 'open');
    const before = front.touched();
    socket.send('hello');
    await once(socket, 'message');
    expect(front.touched()).toBeGreaterThanOrEqual(before + 2);
  });

  it('is asked for as the browser asked, with names in the same case, and without what is ours', async () => {
    const { app, front } = await startEcho();
    new Wire(front.port).request(
      `GET ${prefix}/ws`,
      ...asking,
      'Sec-WebSocket-Version: 13',
      'Cookie: fairlead=secret; a=1',
      'Origin: http://gateway.example',
    );
    await until(() => app.requests.length === 1);
    const { rawHeaders, url } = app.requests[0]!;
    expect(url).toBe('/ws');
    expect(rawHeaders.join('\n')).toContain('Sec-WebSocket-Key\nabc');
    expect(rawHeaders.join('\n')).toContain('Cookie\na=1');
    expect(rawHeaders.join('\n')).toContain('Origin\nhttp://localhost:3000');
    expect(rawHeaders.join('\n')).toContain('Connection\nUpgrade\nUpgrade\nwebsocket');
  });

  it('gets its first bytes, however early they are sent', async () => {
    const app = await startApp(() => undefined, {
      upgrade(_request, socket, head) {
        let heard = String(head);
        const tell = () => heard === 'early, late' && socket.write(`heard ${heard}`);
        socket.on('data', (piece) => {
          heard += String(piece);
          tell();
        });
        setImmediate(() =>
          socket.write(`${acceptance}Set-Cookie: a=1\r\nSec-WebSocket-Accept: x\r\n\r\nhello`),
        );
      },
    });
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/`, ...asking).write('early, ');
    const answer = await wire.reads(/hello$/);
    expect(answer).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(answer).toContain('\r\nSec-WebSocket-Accept: x\r\n');
    expect(answer).toContain(`\r\nSet-Cookie: a=1; Path=${prefix}/\r\n`);
    wire.write('late');
    await wire.reads(/heard early, late$/);
  });

  it('that the server refuses gets its answer', async () => {
    const app = await startApp(() => undefined, {
      upgrade: (_request, socket) =>
        socket.end(
          'HTTP/1.1 403 Forbidden\r\nX-Why: not you\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n',
        ),
    });
    const front = await startFront(app);
    const answer = await new Wire(front.port).request(`GET ${prefix}/`, ...asking).ends();
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\nX-Why: not you\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toMatch(/no\r\n0\r\n\r\n$/);
  });

  it.each(['Content-Length: 3000000', 'Connection: close'])(
    'that the server refuses gets its answer, however long it is (%s)',
    async (framing) => {
      const body = 'x'.repeat(3_000_000);
      const app = await startApp(() => undefined, {
        upgrade: (_request, socket) => socket.end(`HTTP/1.1 403 Forbidden\r\n${framing}\r\n\r\n${body}`),
      });
      const front = await startFront(app);
      const answer = await new Wire(front.port).request(`GET ${prefix}/`, ...asking).ends();
      expect(answer.match(/x/g)).toHaveLength(body.length);
      await until(() => front.sockets() === 0);
    },
  );

  it.each(['end', 'destroy', 'resetAndDestroy'] as const)(
    'that the server refuses at length makes room when the browser leaves in the middle (%s)',
    async (leave) => {
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      const app = await startApp((_request, response) => response.end('ok'), {
        upgrade(_request, socket) {
          socket.on('close', () => resolve());
          socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 100000000\r\n\r\n');
          socket.write(Buffer.alloc(100_000_000));
        },
      });
      const front = await startFront(app, { connectionsPerSession: 1 });
      const wire = new Wire(front.port).request(`GET ${prefix}/`, ...asking);
      await wire.reads(/ 403 /);
      wire.socket.pause();
      expect((await fetch(front.url)).status).toBe(503);
      wire.write(Buffer.alloc(200_000)).socket[leave]();
      await gone;
      await until(() => front.sockets() === 0);
      expect((await fetch(front.url)).status).toBe(200);
    },
  );

  it.each(['000 X', '099 X', '101 Not Switched', '600 X', '999 X'])(
    'that is answered with a status that there is not (%s) is a server that failed',
    async (status) => {
      const app = await startApp(() => undefined, {
        upgrade: (_request, socket) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\nno`),
      });
      const front = await startFront(app, { connectionsPerSession: 1 });
      for (let count = 0; count < 2; count += 1) {
        const answer = await new Wire(front.port).request(`GET ${prefix}/`, ...asking).ends();
        expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*answered with something that is not HTTP/);
        await until(() => front.sockets() === 0);
      }
    },
  );

  it('that is answered with something that is not HTTP says so, and one that is not answered does not', async () => {
    const answers = ['SSH-2.0-OpenSSH\r\n', ''];
    const app = await startApp(() => undefined, {
      upgrade: (_request, socket) => socket.end(answers.shift()!),
    });
    const front = await startFront(app);
    const first = await new Wire(front.port).request(`GET ${prefix}/`, ...asking).ends();
    expect(first).toMatch(/^HTTP\/1\.1 502 [^]*answered with something that is not HTTP/);
    const second = await new Wire(front.port).request(`GET ${prefix}/`, ...asking).ends();
    expect(second).toMatch(/^HTTP\/1\.1 502 [^]*has ended the connection/);
  });

  it('is asked for with GET', async () => {
    const { app, front } = await startEcho();
    const answer = await new Wire(front.port).request(`POST ${prefix}/`, ...asking).ends();
    expect(answer).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: GET\r\n/i);
    expect(app.requests).toHaveLength(0);
  });

  it('ends when much is sent on it before it is answered', async () => {
    const app = await startApp(() => undefined, { upgrade: (_request, socket) => void socket.resume() });
    const front = await startFront(app);
    await new Wire(front.port)
      .request(`GET ${prefix}/`, ...asking)
      .write(Buffer.alloc(1_000_000))
      .ends();
    await until(() => front.sockets() === 0);
  });

  it('cannot be used to speak anything else to the server', async () => {
    // Asks for an upgrade that the server answers with a page: what follows must not become a second request.
    const app = await startApp((_request, response) => response.end('page'));
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/`, ...asking).request('GET /secret');
    expect(await wire.ends()).toMatch(/page/);
    expect(app.requests.map(({ url }) => url)).toEqual(['/']);
  });

  it('stays open in silence', async () => {
    const sockets: Socket[] = [];
    const app = await startApp(() => undefined, {
      upgrade(_request, socket) {
        sockets.push(socket);
        socket.write(`${acceptance}\r\n`);
      },
    });
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/`, ...asking);
    await wire.reads(/\r\n\r\n$/);
    expect(wire.isClosed).toBe(false);
    // Nobody counts how long nothing was said, on either side.
    expect(front.connections().map((socket) => socket.timeout ?? 0)).toEqual([0]);
    sockets[0]!.write('still here');
    await wire.reads(/still here/);
  });

  it('ends when its server dies', async () => {
    const { app, front } = await startEcho();
    const socket = open(front, '');
    await once(socket, 'open');
    app.drop();
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1006);
  });

  it.each(['end', 'resetAndDestroy'] as const)(
    'ends for the server when the browser is gone (%s)',
    async (leave) => {
      const { app, front, sockets } = await startEcho();
      const wire = new Wire(front.port).request(`GET ${prefix}/`, ...asking, 'Sec-WebSocket-Version: 13');
      await until(() => app.requests.length === 1);
      wire.socket[leave]();
      await until(() => sockets.clients.size === 0);
    },
  );

  it('ends for the server when the browser has left before it was answered', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const app = await startApp(() => undefined, {
      upgrade(_request, socket) {
        gone = once(socket.resume(), 'end');
      },
    });
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/`, ...asking);
    await until(() => app.requests.length === 1);
    wire.socket.end();
    await gone;
  });

  it('is taken no faster than the other side reads', async () => {
    let written = 0;
    const block = Buffer.alloc(1024 * 1024);
    const app = await startApp(() => undefined, {
      upgrade(_request, socket) {
        socket.write(`${acceptance}\r\n`);
        const write = () => {
          while (socket.write(block)) written += block.length;
          socket.once('drain', write);
        };
        write();
      },
    });
    const front = await startFront(app);
    const wire = new Wire(front.port);
    wire.socket.pause();
    wire.request(`GET ${prefix}/`, ...asking);
    let before = -1;
    while (written !== before) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it('ends with the proxy', async () => {
    const { front } = await startEcho();
    const socket = open(front, '');
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await front.close();
    await closed;
  });
});

async function startEcho(
  options: FrontOptions = {},
): Promise<{ app: App; front: Front; sockets: WebSocketServer }> {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].at(-1) ?? false,
  });
  const upgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => undefined);
      opened.on('message', (data, isBinary) => {
        if ((data as Buffer).toString() === 'close') opened.close(4001, 'as you wish');
        else opened.send(data as Buffer, { binary: isBinary });
      });
    });
  };
  const app = await startApp(() => undefined, { upgrade });
  return { app, front: await startFront(app, options), sockets };
}

function open(front: Front, path: string, protocols: string[] = []): WebSocket {
  const socket = new WebSocket(front.url.replace('http:', 'ws:') + path, protocols, {
    perMessageDeflate: false,
  });
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  return socket;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}
