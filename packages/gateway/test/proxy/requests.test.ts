import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, get, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bodyText, startApp } from './support/app.ts';
import { prefix, startFront } from './support/front.ts';
import { Wire } from './support/wire.ts';

describe.each(['unix', 'tcp'] as const)('a request to a server on a %s socket', (on) => {
  it('reaches it with the rest of its path, and the answer comes back as it was', async () => {
    const app = await startApp(
      (_request, response) => {
        response.writeHead(203, ['X-One', '1', 'X-One', '2', 'Content-Type', 'text/plain']);
        response.end('here');
      },
      { on },
    );
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/a//b?c=%2f`, 'Connection: close');
    const answer = await wire.ends();
    expect(app.requests[0]?.url).toBe('/a//b?c=%2f');
    expect(answer).toMatch(/^HTTP\/1\.1 203 /);
    expect(answer).toMatch(/\r\nX-One: 1\r\nX-One: 2\r\n/);
    expect(answer).toMatch(/here/);
  });

  it('uses a connection again', async () => {
    const app = await startApp((_request, response) => response.end('ok'), { on });
    const front = await startFront(app);
    for (let count = 0; count < 3; count += 1) await (await fetch(front.url)).text();
    expect(new Set(app.requests.map((request) => request.socket)).size).toBe(1);
  });
});

describe('an answer', () => {
  it('is gzip when the server sends gzip, byte for byte', async () => {
    const packed = gzipSync('text '.repeat(1000));
    const app = await startApp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length });
      response.end(packed);
    });
    const front = await startFront(app);
    const [answer] = (await once(get(front.url), 'response')) as [IncomingMessage];
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(await bytesOf(answer)).toEqual(packed);
  });

  it('to HEAD has the length of what GET would send', async () => {
    const app = await startApp((_request, response) =>
      response.writeHead(200, { 'content-length': 12_345 }).end(),
    );
    const front = await startFront(app);
    const answer = await fetch(front.url, { method: 'HEAD' });
    expect(answer.headers.get('content-length')).toBe('12345');
    expect(app.requests[0]?.method).toBe('HEAD');
  });

  it('is a part where a part was asked for', async () => {
    const app = await startApp((request, response) => {
      expect(request.headers.range).toBe('bytes=2-4');
      response.writeHead(206, { 'content-range': 'bytes 2-4/10', 'content-length': 3 }).end('cde');
    });
    const front = await startFront(app);
    const answer = await fetch(front.url, { headers: { range: 'bytes=2-4' } });
    expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([
      206,
      'bytes 2-4/10',
      'cde',
    ]);
  });

  it('of 304 has no body and no length of one', async () => {
    const app = await startApp((_request, response) => response.writeHead(304, { etag: '"x"' }).end());
    const front = await startFront(app);
    const wire = new Wire(front.port)
      .request(`GET ${prefix}/`, 'If-None-Match: "x"')
      .request(`GET ${prefix}/`, 'If-None-Match: "x"', 'Connection: close');
    const answers = await wire.ends();
    expect(answers.match(/HTTP\/1\.1 304/g)).toHaveLength(2);
    expect(answers).not.toMatch(/transfer-encoding|content-length/i);
  });

  it('arrives event by event', async () => {
    let send: (text: string) => void = () => undefined;
    const app = await startApp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      send = (text) => response.write(`data: ${text}\n\n`);
    });
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/events`);
    await wire.reads(/text\/event-stream\r\n/);
    send('one');
    await wire.reads(/data: one/);
    send('two');
    await wire.reads(/data: two/);
  });

  it('brings its trailers', async () => {
    const app = await startApp((request, response) => {
      expect(request.headers.te).toBe('trailers');
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('abc');
      response.addTrailers({ 'x-sum': '42' });
      response.end();
    });
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`GET ${prefix}/`, 'TE: trailers', 'Connection: TE, close');
    const answer = await wire.ends();
    expect(answer).toMatch(/\r\ntrailer: x-sum\r\n/i);
    expect(answer).toMatch(/\r\n0\r\nx-sum: 42\r\n\r\n$/i);
  });

  it('brings no trailers that would be no headers, and no cookies in them', async () => {
    const app = await startApp((_request, response) => {
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('abc');
      response.addTrailers([
        ['Set-Cookie', 'fairlead=evil'],
        ['set-cookie', 'a=1'],
        ['Strict-Transport-Security', 'max-age=1'],
        ['X-Accel-Redirect', '/secret'],
        ['Keep-Alive', 'timeout=1'],
        ['Location', '/a'],
        ['x-sum', '42'],
      ]);
      response.end();
    });
    const front = await startFront(app);
    const answer = await new Wire(front.port)
      .request(`GET ${prefix}/`, 'TE: trailers', 'Connection: close')
      .ends();
    expect(answer.slice(answer.indexOf('\r\n0\r\n'))).toBe(
      `\r\n0\r\nLocation: ${prefix}/a\r\nx-sum: 42\r\n\r\n`,
    );
  });

  it('to a client that does not know chunks ends with the connection', async () => {
    const app = await startApp((_request, response) => {
      response.writeHead(200, { trailer: 'x-sum' });
      response.write('a');
      response.end('b');
    });
    const front = await startFront(app);
    const answer = await new Wire(front.port).write(`GET ${prefix}/ HTTP/1.0\r\nHost: a\r\n\r\n`).ends();
    expect(answer).not.toMatch(/transfer-encoding|trailer/i);
    expect(answer).toMatch(/\r\n\r\nab$/);
  });

  it('of a server that ends it with the connection is whole', async () => {
    const app = await startApp((request) => {
      request.socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold but whole');
    });
    const front = await startFront(app);
    expect(await (await fetch(front.url)).text()).toBe('old but whole');
  });

  it('may have long headers', async () => {
    const long = 'x'.repeat(30_000);
    const app = await startApp((_request, response) => response.writeHead(200, { 'x-long': long }).end());
    const front = await startFront(app);
    const answer = await new Wire(front.port).request(`GET ${prefix}/`, 'Connection: close').ends();
    expect(answer).toContain(`x-long: ${long}\r\n`);
  });

  it('is not given early: hints of the server stay with it', async () => {
    const app = await startApp((_request, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => response.end('hinted'));
    });
    const front = await startFront(app);
    const answer = await new Wire(front.port).request(`GET ${prefix}/`, 'Connection: close').ends();
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(answer).toMatch(/hinted/);
  });

  it('may have any bytes in its headers', async () => {
    const app = await startApp((_request, response) =>
      response.writeHead(200, { 'x-name': 'caf\xe9' }).end(),
    );
    const front = await startFront(app);
    const answer = await new Wire(front.port).request(`GET ${prefix}/`, 'Connection: close').ends();
    expect(answer).toContain('x-name: caf\xe9');
  });

  it('that nobody reads is not read from the server either', async () => {
    let written = 0;
    const block = Buffer.alloc(1024 * 1024);
    const app = await startApp((_request, response) => {
      const write = () => {
        while (response.write(block)) written += block.length;
        response.once('drain', write);
      };
      write();
    });
    const front = await startFront(app);
    const wire = new Wire(front.port);
    wire.socket.pause();
    wire.request(`GET ${prefix}/`);
    let before = -1;
    // What the kernel and the streams hold is finite; a proxy that reads on never stops.
    while (written !== before) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('a body', () => {
  it('of any size arrives whole, in both directions', async () => {
    const sent = randomBytes(8 * 1024 * 1024);
    const app = await startApp((request, response) => request.pipe(response));
    const front = await startFront(app);
    const answer = await fetch(front.url, { method: 'POST', body: sent });
    const received = Buffer.from(await answer.arrayBuffer());
    expect(digest(received)).toBe(digest(sent));
    expect(app.requests[0]?.headers['content-length']).toBe(String(sent.length));
  });

  it('in chunks arrives while it is being sent', async () => {
    let heard = '';
    const app = await startApp((request, response) => {
      request.on('data', (piece) => {
        heard += String(piece);
        response.write(`heard ${heard}\n`);
      });
      request.on('end', () => response.end());
    });
    const front = await startFront(app);
    const sent = httpRequest(front.url, { method: 'POST' });
    sent.write('one');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.setEncoding('utf8');
    expect((await once(answer, 'data'))[0]).toBe('heard one\n');
    sent.write('two');
    expect((await once(answer, 'data'))[0]).toBe('heard onetwo\n');
    sent.end();
    await once(answer.resume(), 'end');
  });

  it('is sent when the client may continue', async () => {
    const app = await startApp(
      (request, response) => void bodyText(request).then((text) => response.end(text)),
    );
    const front = await startFront(app);
    const wire = new Wire(front.port).request(
      `PUT ${prefix}/`,
      'Expect: 100-continue',
      'Content-Length: 3',
      'Connection: close',
    );
    await wire.reads(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    expect(await wire.write('abc').ends()).toMatch(/HTTP\/1\.1 200[^]*abc$/);
  });

  it('that the server does not want does not hide its answer', async () => {
    const app = await startApp((_request, response) =>
      response.writeHead(413, { 'content-length': 7 }).end('too big'),
    );
    const front = await startFront(app);
    const wire = new Wire(front.port).request(`POST ${prefix}/`, 'Content-Length: 4000000');
    const block = Buffer.alloc(100_000);
    for (let count = 0; count < 40; count += 1) wire.write(block);
    await wire.reads(/ 413 [^]*too big/);
    // The connection is good for the next request.
    wire.request(`GET ${prefix}/`);
    await wire.reads(/too big[^]*too big/);
  });

  it('of GET and DELETE is passed on too', async () => {
    const app = await startApp(
      (request, response) => void bodyText(request).then((text) => response.end(text)),
    );
    const front = await startFront(app);
    for (const method of ['GET', 'DELETE']) {
      const wire = new Wire(front.port).request(
        `${method} ${prefix}/`,
        'Content-Length: 5',
        'Connection: close',
      );
      expect(await wire.write('query').ends()).toMatch(/query$/);
    }
  });
});

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
