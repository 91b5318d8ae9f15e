import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { arrayBuffer, text } from 'node:stream/consumers';
import { createClient, type SessionHandle } from '@fairlead/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Fairlead, type Started } from '../cli/support/fairlead.ts';
import { endAll, serve } from '../cli/support/gateway.ts';
import { freePort } from '../support/free-port.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';

const modes = [
  { mode: 'in path mode', path: '', options: [] },
  { mode: 'below a path', path: '/fair/lead', options: [] },
  { mode: 'with a host for each place', path: '', options: ['--domain', 'apps.test'] },
  { mode: 'with both', path: '/fairlead', options: ['--domain', 'apps.test'] },
];

/** An app that says what it is asked for, and greets on WebSockets. */
const appSource = String.raw`
import base64, hashlib, http.server, os

class App(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        key = self.headers.get('Sec-WebSocket-Key')
        return self.tell() if key is None else self.greet(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11')

    def tell(self):
        body = ('app ' + self.path).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def greet(self, key):
        self.send_response(101)
        self.send_header('Upgrade', 'websocket')
        self.send_header('Connection', 'Upgrade')
        self.send_header('Sec-WebSocket-Accept', base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.wfile.write(b'\x81\x05hello')
        self.rfile.read(1)
        self.close_connection = True

server = http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['APP_PORT_1'])), App)
print('listening', flush=True)
server.serve_forever()
`;

describe.each(modes)(
  'the gateway behind nginx $mode',
  { tags: ['nginx', 'bwrap', 'python3'], timeout: 60_000 },
  (setup) => {
    let fairlead: Fairlead;
    let served: Started;
    let nginx: Nginx;
    let port: number;
    let session: SessionHandle;
    beforeAll(async () => {
      fairlead = new Fairlead();
      port = await freePort();
      const publicUrl = `http://localhost:${port}${setup.path}`;
      served = await serve(fairlead, '--public-url', publicUrl, ...setup.options);
      nginx = await startNginx(await fairlead.ask('nginx'));
      const key = readFileSync(join(fairlead.stateDir, 'key'), 'utf8').trim();
      const client = createClient({ url: publicUrl, key });
      session = client.session((await client.sessions.create()).id);
    }, 60_000);
    afterAll(async () => {
      await endAll(fairlead, served);
      await nginx.stop();
    }, 60_000);

    /** The address of the app, and the cookie that a browser has after its first visit. */
    async function visit(): Promise<{ url: URL; cookie: string }> {
      const { url } = await session.link({ place: 'app', number: 1 });
      const { statusCode, headers } = await ask(new URL(url), port);
      expect(statusCode).toBe(303);
      const clean = new URL(headers.location ?? '', url);
      expect(clean.href).not.toContain('ticket');
      return { url: clean, cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
    }

    it('runs commands with live output, and takes files in and out', async () => {
      let live = '';
      const { exitCode } = await session.run('echo "one $((1 + 1))"', {
        onOutput: (data) => void (live += data),
      });
      expect([exitCode, live.trim()]).toEqual([0, 'one 2']);
      const sizeBytes = 3 * 1024 * 1024;
      await session.upload(new Blob([new Uint8Array(sizeBytes)]), { directory: '/workspace', name: 'large' });
      expect((await session.run('wc -c <large')).output.trim()).toBe(String(sizeBytes));
      const zip = await arrayBuffer(await session.download('/workspace/large'));
      expect(Buffer.from(zip).subarray(0, 2).toString()).toBe('PK');
    });

    it('shows apps where it says that they are, also their WebSockets', async () => {
      await session.write('app.py', appSource);
      await session.run('python3 app.py >log 2>&1 & until grep -q listening log; do sleep 0.1; done');
      const { url, cookie } = await visit();
      expect((await session.run('echo $APP_URL_1')).output.trim()).toBe(url.href);
      const answer = await ask(new URL('a//b?c=%20', url), port, { cookie });
      expect([answer.statusCode, await text(answer)]).toEqual([200, 'app /a//b?c=%20']);

      const ours = connect(url, port, { cookie, origin: url.origin });
      expect(String((await once(ours, 'message'))[0])).toBe('hello');
      ours.terminate();
      const theirs = connect(url, port, { cookie, origin: 'http://evil.test' });
      const [refusal] = (await once(theirs, 'error')) as [Error];
      expect(refusal.message).toContain('403');
    });

    it('lets nobody in without a key, and leaves no ticket in the log of nginx', async () => {
      const { url } = await visit();
      expect((await ask(url, port)).statusCode).toBe(401);
      expect(nginx.accessLog()).toContain(session.id);
      expect(nginx.accessLog()).not.toContain('ticket');
    });
  },
);

async function ask(url: URL, port: number, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const path = url.pathname + url.search;
  const request = httpRequest({ port, path, agent: false, headers: { host: url.host, ...headers } }).end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

function connect(url: URL, port: number, headers: Record<string, string>): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${port}${url.pathname}`, { headers: { host: url.host, ...headers } });
}
