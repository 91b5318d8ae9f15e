import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { describe, expect, it } from 'vitest';
import { json, sessionId } from './support/test-gateway.ts';
import { useGateway } from './support/use-gateway.ts';

describe('a terminal', () => {
  const held = useGateway();

  async function open(shell?: string) {
    const { gateway, client } = held;
    gateway.routes.set('POST /api/tickets', (request, response) => {
      expect(JSON.parse(String(request.body))).toEqual({ session: sessionId });
      json(response, { ticket: 'once', expiresInSeconds: 30 }, 201);
    });
    const connected = Promise.withResolvers<{ socket: WebSocket; request: IncomingMessage }>();
    gateway.terminals.on('connection', (socket, request) => connected.resolve({ socket, request }));
    const shown: string[] = [];
    const terminal = await client
      .session(sessionId)
      .terminal({ shell, cols: 100, rows: 30, onData: (data) => shown.push(Buffer.from(data).toString()) });
    return { terminal, shown, ...(await connected.promise) };
  }

  it('is opened with a ticket, so that the key is in no address', async () => {
    const { terminal, request } = await open('build');
    expect(request.url).toBe(`/runtimes/${sessionId}/shells/build/terminal?cols=100&rows=30&ticket=once`);
    terminal.close();
    expect(await terminal.ended).toBe('');
  });

  it('carries bytes both ways, and its size', async () => {
    const { terminal, shown, socket } = await open();
    const received: string[] = [];
    socket.on('message', (data, isBinary) =>
      received.push(`${isBinary ? 'bytes' : 'text'} ${(data as Buffer).toString()}`),
    );
    terminal.write('ls\r');
    terminal.resize(80, 24);
    await expect.poll(() => received).toEqual(['bytes ls\r', 'text {"type":"resize","cols":80,"rows":24}']);
    socket.send(Buffer.from('total 0\r\n'));
    await expect.poll(() => shown).toEqual(['total 0\r\n']);
    terminal.close();
  });

  it('tells why it ended', async () => {
    const { terminal, socket } = await open();
    socket.close(1000, 'the shell "main" was ended');
    expect(await terminal.ended).toBe('the shell "main" was ended');
  });

  it('fails when its connection is lost', async () => {
    const { terminal, socket } = await open();
    socket.terminate();
    await expect(terminal.ended).rejects.toMatchObject({ code: 'unreachable' });
  });
});
