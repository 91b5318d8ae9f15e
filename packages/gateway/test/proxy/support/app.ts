import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, NetConnectOpts, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface App {
  address: NetConnectOpts;
  /** In the order in which they came. */
  requests: IncomingMessage[];
  /** Ends every connection where it is. */
  drop(): void;
  /** Ends every connection and listens no more. */
  stop(): Promise<void>;
}

export interface AppOptions {
  on?: 'unix' | 'tcp';
  upgrade?(request: IncomingMessage, socket: Socket, head: Buffer): void;
}

/** A server of a session, which answers as the test says. */
export async function startApp(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { on = 'unix', upgrade }: AppOptions = {},
): Promise<App> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-proxy-'));
  const socketPath = join(directory, 'app.sock');
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const http = createServer((request, response) => {
    requests.push(request);
    // Clients of these tests leave in the middle.
    request.on('error', () => undefined);
    answer(request, response);
  });
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  if (upgrade !== undefined) {
    http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      requests.push(request);
      socket.on('error', () => undefined);
      upgrade(request, socket, head);
    });
  }
  if (on === 'unix') http.listen(socketPath);
  else http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = async () => {
    drop();
    if (http.listening) await new Promise((resolve) => http.close(resolve));
  };
  onTestFinished(async () => {
    await stop();
    await rm(directory, { recursive: true, force: true });
  });
  const address: NetConnectOpts =
    on === 'unix' ? { path: socketPath } : { host: '127.0.0.1', port: (http.address() as AddressInfo).port };
  return { address, requests, drop, stop };
}

export async function bodyText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}
