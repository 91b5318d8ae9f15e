import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { connect as connectByHttp2 } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { nginxConfiguration, type NginxSettings } from '../../packages/cli/src/nginx/nginx-configuration.ts';
import { freePort } from '../support/free-port.ts';
import { checkConfiguration, type Nginx, startNginx } from '../support/nginx.ts';
import { StandIn } from './support/stand-in.ts';

const example: NginxSettings = {
  upstream: '127.0.0.1:3000',
  publicUrl: new URL('http://fairlead.example.com'),
  basePath: '',
  domain: undefined,
  certificate: '/etc/ssl/certs/fairlead.pem',
  certificateKey: '/etc/ssl/private/fairlead.key',
};

it('stands in the repository as it is printed by default', () => {
  const file = new URL('../../deploy/nginx/fairlead.conf', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(nginxConfiguration(example));
});

describe('a server behind nginx', { tags: ['nginx'] }, () => {
  let server: StandIn;
  let settings: NginxSettings;
  let started: Nginx[];
  let port: number;
  beforeEach(async () => {
    started = [];
    server = new StandIn();
    port = await freePort();
    settings = {
      ...example,
      upstream: await server.listen(),
      publicUrl: new URL(`http://here.test:${port}`),
    };
  });
  afterEach(async () => {
    for (const nginx of started) await nginx.stop();
    await server.close();
  });

  async function start(
    change: Partial<NginxSettings> = {},
    edit: (text: string) => string = (same) => same,
    ports: Record<number, number> = {},
  ): Promise<Nginx> {
    const nginx = await startNginx(edit(nginxConfiguration({ ...settings, ...change })), ports);
    started.push(nginx);
    return nginx;
  }

  function send(path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    return answerOf({ port, path, ...options });
  }

  it('gets what was asked for byte for byte, and the name that the browser used', async () => {
    await start();
    const path = '/vscode/a1//b/%2e%2E/%2f%5c/c;d=%20?x=%20&y=//z&fairlead-ticket=secret#';
    const answer = await send(path.slice(0, -1), { headers: { cookie: 'a=1', 'x-own': 'ü' } });
    expect(await text(answer)).toBe('here');
    expect(server.last.url).toBe(path.slice(0, -1));
    expect(server.last.headers).toEqual({ host: `here.test:${port}`, cookie: 'a=1', 'x-own': 'ü' });
  });

  it('answers with headers, links, ranges and compression of its own', async () => {
    await start();
    const page = '<p>'.repeat(1000);
    const told = {
      location: 'http://fairlead/elsewhere',
      'content-type': 'text/html',
      'content-length': String(page.length),
      'accept-ranges': 'bytes',
      etag: '"strong"',
      'set-cookie': ['a=1; Path=/vscode/a1/', 'b=2'],
    };
    server.answer = (_request, response) => void response.writeHead(200, told).end(page);
    const answer = await send('/', { headers: { 'accept-encoding': 'gzip' } });
    expect(await text(answer)).toBe(page);
    expect(answer.headers).toMatchObject(told);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  it('sends what it has to say at once, to a browser that waits for it', async () => {
    await start();
    let events: ServerResponse | undefined;
    server.answer = (_request, response) => {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
    };
    const answer = (await send('/')).setEncoding('utf8');
    expect(await once(answer, 'data')).toEqual(['data: one\n\n']);
    for (const event of ['data: two\n\n', 'data: three\n\n']) {
      events?.write(event);
      expect(await once(answer, 'data')).toEqual([event]);
    }
    events?.end();
  });

  it('gets an upload while it is sent, and one of any size', async () => {
    await start();
    const upload = httpRequest({ port, method: 'POST', headers: { host: 'here.test' } });
    let size = 0;
    server.answer = (request, response) => {
      request.on('data', (chunk: Buffer) => (size += chunk.length));
      request.on('end', () => response.end(String(size)));
    };
    upload.write('begin');
    await until(() => size === 5);
    const megabyte = Buffer.alloc(1024 * 1024);
    for (let count = 0; count < 5; count += 1) upload.write(megabyte);
    upload.end();
    const [answer] = (await once(upload, 'response')) as [IncomingMessage];
    expect(await text(answer)).toBe(String(5 + 5 * megabyte.length));
  });

  it('may send, and is sent, as many headers as the gateway takes', async () => {
    await start();
    server.answer = (request, response) => {
      response.writeHead(200, { 'x-large': 'y'.repeat(15_000) });
      response.end(String(request.headers.cookie?.length));
    };
    const answer = await send('/', { headers: { cookie: `a=${'x'.repeat(14_000)}` } });
    expect([answer.statusCode, await text(answer)]).toEqual([200, '14002']);
    expect(answer.headers['x-large']).toHaveLength(15_000);
  });

  it('cannot tell nginx to answer with something else', async () => {
    const inner = '  location = /internal { internal; return 200 "of nginx"; }\n  location / {';
    await start({}, (text) => text.replace('  location / {', () => inner));
    server.answer = (_request, response) => {
      response.writeHead(200, { 'x-accel-redirect': '/internal', 'x-accel-limit-rate': '1' });
      response.end('of the app');
    };
    expect(await text(await send('/'))).toBe('of the app');
  });

  it('is reached on connections that are kept', async () => {
    await start();
    for (let count = 0; count < 20; count += 1) await text(await send('/'));
    expect(server.requests).toHaveLength(20);
    expect(server.connections).toBe(1);
  });

  it('has WebSockets, which none but one of its time-outs ends; and that one is days long', async () => {
    const others = /(?<=(proxy_send_timeout|send_timeout|client_body_timeout) )\w+/g;
    await start(
      {},
      (text) => `${text.replaceAll(others, '1s')}keepalive_timeout 1s; client_header_timeout 1s;`,
    );
    const silent = await open(port);

    const shortPort = await freePort();
    await start({ publicUrl: new URL(`http://here.test:${shortPort}`) }, (text) => {
      return text.replaceAll('proxy_read_timeout 7d', 'proxy_read_timeout 2s');
    });
    const ended = await open(shortPort);
    // It is its own clock: all time-outs of the other are over by then.
    await once(ended, 'close');
    silent.send('still here');
    expect(String((await once(silent, 'message'))[0])).toBe('still here');
    silent.close();
    expect(server.last.headers).toMatchObject({ upgrade: 'websocket', connection: 'upgrade' });
  });

  it('leaves no ticket in the log', async () => {
    const nginx = await start();
    await text(
      await send('/apps/a1-1/page?fairlead-ticket=secret', { headers: { referer: 'http://x/?secret' } }),
    );
    // nginx writes it after the answer.
    await until(() => nginx.accessLog() !== '');
    expect(nginx.accessLog()).toMatch(/^127\.0\.0\.1 \[.*\] "GET here\.test\/apps\/a1-1\/page" 200 4 /);
    expect(nginx.accessLog()).not.toContain('secret');
  });

  it('can stand below a path beside other things', async () => {
    await start({ publicUrl: new URL(`http://here.test:${port}/fairlead`), basePath: '/fairlead' });
    expect((await send('/fairlead/api/x//y?z')).statusCode).toBe(200);
    expect(server.last.url).toBe('/fairlead/api/x//y?z');
    for (const path of ['/', '/fairleads/x', '/api']) await text(await send(path));
    const { statusCode, headers } = await send('/fairlead');
    expect([statusCode, headers.location]).toEqual([301, `http://here.test:${port}/fairlead/`]);
    expect(server.requests).toHaveLength(1);
  });

  it('can have a host for every place', async () => {
    await start({ domain: 'apps.test' }, withDefaultServer);
    for (const host of ['abc-vscode.apps.test', 'here.test']) {
      expect((await send('/', { headers: { host } })).statusCode).toBe(200);
      expect(server.last.headers.host).toBe(host);
    }
    for (const host of ['apps.test', 'other.test', 'apps.test.evil']) {
      expect((await send('/', { headers: { host } })).statusCode).toBe(421);
    }
  });

  it('can have both, and then places stand at the root of their hosts', async () => {
    const publicUrl = new URL(`http://here.test:${port}/fairlead`);
    await start({ publicUrl, basePath: '/fairlead', domain: 'apps.test' }, withDefaultServer);
    expect((await send('/fairlead/x')).statusCode).toBe(200);
    expect((await send('/x')).statusCode).toBe(404);
    expect((await send('/x', { headers: { host: 'abc-1.apps.test' } })).statusCode).toBe(200);
    expect(server.last.url).toBe('/x');
  });

  it('can have TLS in front of it, to which plain requests are sent', { tags: ['openssl'] }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fairlead-certificate-'));
    try {
      const certificate = join(directory, 'certificate.pem');
      const certificateKey = join(directory, 'key.pem');
      makeCertificate('here.test', certificate, certificateKey);
      const plainPort = await freePort();
      const tls = {
        publicUrl: new URL('https://here.test'),
        domain: 'here.test',
        certificate,
        certificateKey,
      };
      expect(checkConfiguration(nginxConfiguration({ ...settings, ...tls }))).toBe('');
      await start(tls, (same) => same, { 80: plainPort, 443: port });
      const { statusCode, headers } = await send('/a?b=%20', {
        port: plainPort,
        headers: { host: 'here.test' },
      });
      expect([statusCode, headers.location]).toEqual([308, 'https://here.test/a?b=%20']);
      for (const servername of ['here.test', 'abc-vscode.here.test']) {
        const ca = readFileSync(certificate);
        const request = httpsRequest({ port, servername, ca, headers: { host: servername } }).end();
        const [answer] = (await once(request, 'response')) as [IncomingMessage];
        expect(await text(answer)).toBe('here');
        expect(server.last.headers.host).toBe(servername);
      }
      expect(await askByHttp2(port, 'abc-1.here.test', readFileSync(certificate))).toBe('here');
      expect(server.last).toMatchObject({ httpVersion: '1.1', headers: { host: 'abc-1.here.test' } });
      const socket = new WebSocket(`wss://127.0.0.1:${port}`, {
        agent: new Agent({ ca: readFileSync(certificate), servername: 'here.test' }),
        headers: { host: 'here.test' },
      });
      await once(socket, 'open');
      socket.send('hello');
      expect(String((await once(socket, 'message'))[0])).toBe('hello');
      socket.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is not complained about by nginx in any form', () => {
    const forms: Partial<NginxSettings>[] = [
      {},
      { domain: 'apps.example.com' },
      { basePath: '/fairlead', publicUrl: new URL('http://fairlead.example.com/fairlead') },
      { basePath: '/a/b', domain: 'apps.example.com', upstream: '[::1]:3000' },
    ];
    for (const form of forms)
      expect(checkConfiguration(nginxConfiguration({ ...example, ...form }))).toBe('');
  });
});

async function answerOf({ headers, ...options }: RequestOptions): Promise<IncomingMessage> {
  const host = `here.test:${options.port}`;
  const request = httpRequest({ agent: false, ...options, headers: { host, ...headers } }).end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

async function open(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers: { host: 'here.test' } });
  await once(socket, 'open');
  return socket;
}

/** As browsers do. */
async function askByHttp2(port: number, host: string, ca: Buffer): Promise<string> {
  const session = connectByHttp2(`https://127.0.0.1:${port}`, { ca, servername: host });
  const answer = await text(session.request({ ':path': '/', ':authority': host }));
  session.close();
  return answer;
}

/** nginx has its first server for names that it does not know; on a real machine that is another. */
function withDefaultServer(text: string): string {
  const port = /listen (\d+)/.exec(text)?.[1];
  return `server {\n  listen ${port} default_server;\n  server_name _;\n  return 421;\n}\n${text}`;
}

function makeCertificate(name: string, certificate: string, key: string): void {
  const names = `subjectAltName=DNS:${name},DNS:*.${name}`;
  const files = ['-keyout', key, '-out', certificate];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-addext',
      names,
      ...files,
    ],
    { stdio: 'ignore' },
  );
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
}
