import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseSocketTable } from '../src/ports/listening-sockets.ts';
import { freePort, SandboxProcess } from './support/process.ts';
import { call, type Json, temporaryDirectory } from './support/test-server.ts';

describe('the table of the kernel', () => {
  const line = (address: string, state: string, inode: number) =>
    `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000 100`;

  test.each([
    ['0100007F:1F90', '127.0.0.1', 8080],
    ['00000000:0050', '0.0.0.0', 80],
    ['00000000000000000000000000000000:0BB8', '::', 3000],
    ['00000000000000000000000001000000:0BB8', '::1', 3000],
    ['0000000000000000FFFF00000100007F:0BB8', '127.0.0.1', 3000],
    ['B80D01200000000067452301EFCDAB89:FFFF', '2001:db8::123:4567:89ab:cdef', 65535],
  ])('%s is %s port %i', (text, address, port) => {
    const table = `  sl  local_address rem_address   st …\n${line(text, '0A', 77)}\n${line(text, '01', 78)}\n`;
    expect(parseSocketTable(table)).toEqual([{ port, address, inode: '77' }]);
  });
});

describe('the ports', () => {
  test("are those of the session's own processes, whoever else listens", async () => {
    const { server, directory } = await startSandbox();
    const foreign = await listen(createServer());
    const before = await portsOf(server);
    expect(before).toEqual([]);
    const [web, ipv6] = [await freePort(), await freePort()];
    await server.act(
      `(setsid ${serve(web, '127.0.0.1')} >/dev/null 2>&1 &) ; ${serve(ipv6, '::')} >${directory}/log 2>&1 &`,
    );
    const ports = await untilPorts(server, 2);
    expect(ports).toEqual(
      [
        {
          port: web,
          address: '127.0.0.1',
          pid: expect.any(Number),
          command: expect.stringContaining('net.createServer'),
        },
        {
          port: ipv6,
          address: '::',
          pid: expect.any(Number),
          command: expect.stringContaining('net.createServer'),
        },
      ].toSorted((one, other) => one.port - other.port),
    );
    const numbers = ports.map(({ port }: Json) => port);
    expect(numbers).not.toContain(foreign);
    expect(numbers).not.toContain(server.address);
  });

  test('are gone when the process is', async () => {
    const { server } = await startSandbox();
    const port = await freePort();
    await server.act(`${serve(port, '0.0.0.0')} & echo $! >pid`);
    await untilPorts(server, 1);
    expect((await tunnel(server, port)).status).toBe(101);
    await server.act('kill $(cat pid)');
    await untilPorts(server, 0);
    expect((await tunnel(server, port)).status).toBe(404);
  });
});

describe('alone among its processes', { tags: ['bwrap', 'python3'] }, () => {
  test('a server takes all of them for its own', async () => {
    const directory = await temporaryDirectory();
    const port = await freePort();
    const isolated = join(directory, 'isolated');
    const inside = `python3 -m http.server ${port} >/dev/null 2>&1 & "$@" & wait -n`;
    const flags = '--dev-bind / / --unshare-pid --as-pid-1 --proc /proc --die-with-parent';
    writeFileSync(
      isolated,
      `#!/bin/sh\nexec bwrap ${flags} bash -c '${inside}' bash ${process.execPath} "$@"\n`,
      { mode: 0o755 },
    );
    const args = ['--socket', join(directory, 'server.sock'), '--session-dir', join(directory, 'session')];
    const server = await new SandboxProcess([...args, '--working-dir', directory], {}, isolated).ready();
    const ports = await untilPorts(server, 1);
    expect(ports).toMatchObject([{ port, command: expect.stringContaining('http.server') }]);
  });
});

describe('a tunnel', () => {
  test.each(['127.0.0.1', '::1', '0.0.0.0', '::'])(
    'carries bytes to a server on %s and back',
    async (host) => {
      const { server } = await startSandbox();
      const port = await freePort();
      await server.act(`${serve(port, host)} &`);
      await untilPorts(server, 1);
      const { status, socket } = await tunnel(server, port, 'first ');
      expect(status).toBe(101);
      socket.end('second');
      expect(String(await buffer(socket))).toBe('echo: first second, and that was all');
    },
  );

  test('carries more than memory should hold, and no faster than it is taken', async () => {
    const { server } = await startSandbox();
    const port = await freePort();
    await server.act(
      `${node(`net.createServer((c) => { const b = Buffer.alloc(1 << 20);
      let left = 300; const go = () => { while (left-- > 0) if (!c.write(b)) return c.once('drain', go); c.end() }; go()
    }).listen(${port}, '127.0.0.1')`)} &`,
    );
    await untilPorts(server, 1);
    const { socket } = await tunnel(server, port);
    socket.pause();
    await delay(500);
    const memory = (await call(server.address, 'GET', '/server_info')).json.resources.memory.rss;
    expect(memory).toBeLessThan(250e6);
    let size = 0;
    for await (const chunk of socket) size += (chunk as Buffer).length;
    expect(size).toBe(300 << 20);
  });

  test('ends when either side does', async () => {
    const { server } = await startSandbox();
    const port = await freePort();
    await server.act(
      `${node(`net.createServer((c) => { c.on('close', () => fs.writeFileSync('closed', '')); c.on('error', () => 0); c.write('hi');
      c.on('data', () => c.destroy()) }).listen(${port}, '127.0.0.1')`)} &`,
    );
    await untilPorts(server, 1);
    const left = await tunnel(server, port);
    left.socket.destroy();
    expect(
      (await server.act('until [ -e closed ]; do sleep 0.02; done; rm closed; echo gone')).json.content,
    ).toBe('gone');
    const other = await tunnel(server, port);
    other.socket.write('go');
    other.socket.resume();
    await once(other.socket, 'end');
  });

  test('does not keep the server from ending', async () => {
    const { server } = await startSandbox();
    const port = await freePort();
    await server.act(`${serve(port, '127.0.0.1')} &`);
    await untilPorts(server, 1);
    const { socket } = await tunnel(server, port);
    const closed = once(socket, 'close');
    socket.on('error', () => undefined).resume();
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
    socket.end();
    await closed;
  });

  test('is refused where no process of the sandbox listens', async () => {
    const { server } = await startSandbox();
    const foreign = await listen(createServer());
    const refused = await tunnel(server, foreign);
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining('GET /ports lists them')]);
    expect((await tunnel(server, server.address as number)).status).toBe(404);
    expect((await tunnel(server, 'x')).status).toBe(422);
    expect((await tunnel(server, 65_536)).status).toBe(422);
    expect(await call(server.address, 'GET', '/ports/80/tunnel')).toMatchObject({
      status: 426,
      headers: { upgrade: 'tcp' },
    });
  });

  test('needs the key, and is at no other path', async () => {
    const { server } = await startSandbox({ SESSION_API_KEY: 'k' });
    expect((await tunnel(server, 80)).status).toBe(403);
    expect((await tunnel(server, 80, '', { 'x-session-api-key': 'k' })).status).toBe(404);
    expect((await upgrade(server, '/alive', '', { 'x-session-api-key': 'k' })).status).toBe(400);
    expect((await upgrade(server, '/ports/80/tunnel', '', { upgrade: 'websocket' })).status).toBe(403);
  });
});

async function startSandbox(env: Record<string, string> = {}) {
  const directory = await temporaryDirectory();
  const args = ['0', '--terminal', 'pty', '--working-dir', directory];
  return { directory, server: await new SandboxProcess(args, env).ready() };
}

/** A shell command: answers what it was told when the other side has said all. */
function serve(port: number, host: string): string {
  return node(`net.createServer({ allowHalfOpen: true }, (c) => { c.write('echo: '); c.pipe(c, { end: false });
    c.on('end', () => c.end(', and that was all')) }).listen(${port}, '${host}')`);
}

function node(code: string): string {
  return `${process.execPath} -e "${code.replaceAll('\n', ' ')}"`;
}

async function portsOf(server: SandboxProcess): Promise<Json> {
  return (await call(server.address, 'GET', '/ports')).json.ports;
}

async function untilPorts(server: SandboxProcess, count: number): Promise<Json> {
  for (;;) {
    const ports = await portsOf(server);
    if (ports.length === count) return ports;
    await delay(20);
  }
}

function tunnel(
  server: SandboxProcess,
  port: number | string,
  early = '',
  headers: Record<string, string> = {},
) {
  return upgrade(server, `/ports/${port}/tunnel`, early, headers);
}

/** By hand, with bytes right behind the request. */
async function upgrade(
  server: SandboxProcess,
  path: string,
  early: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string; socket: Socket }> {
  const socket = connect({ port: server.address as number, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const all = { host: '127.0.0.1', connection: 'upgrade', upgrade: 'tcp', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n${early}`);
  let text = '';
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    text += chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) continue;
    socket.pause();
    socket.unshift(Buffer.from(text.slice(end + 4), 'latin1'));
    return { status: Number(text.split(' ')[1]), text, socket };
  }
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
