import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type PlaceRules, SessionProxy } from '../../../src/proxy/session-proxy.ts';
import { appWaitingPage } from '../../../src/proxy/pages/waiting-pages.ts';
import { connected, type ProxyTarget } from '../../../src/proxy/target.ts';
import type { App } from './app.ts';

const sessionId = 'abcdefghijklmnopqrst';
export const prefix = `/apps/${sessionId}-1`;

export interface Front {
  port: number;
  /** Of the place's root, with a slash at its end. */
  url: string;
  rules: PlaceRules;
  touched(): number;
  /** How many WebSockets are open. */
  sockets(): number;
  /** That clients have opened. */
  connections(): Socket[];
  close(): Promise<void>;
}

export interface FrontOptions {
  rules?: Partial<PlaceRules>;
  connectionsPerSession?: number;
  connect?: ProxyTarget['connect'];
}

/** A server that shows the app at `/apps/…-1/`, and nothing else. */
export async function startFront(app: Pick<App, 'address'>, options: FrontOptions = {}): Promise<Front> {
  const { connectionsPerSession = 100 } = options;
  const proxy = new SessionProxy({ connectionsPerSession, guestConnectionsPerSession: 1 });
  let touched = 0;
  const target: ProxyTarget = {
    sessionId,
    key: `${sessionId}:1`,
    connect: options.connect ?? (() => connected(connect(app.address))),
    absentPage: appWaitingPage({ port: 3000, variable: 'APP_PORT_1' }),
    touch: () => (touched += 1),
  };
  const http = createServer((request, response) => void proxy.forward(request, response, target, rules));
  let sockets = 0;
  http.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
    sockets += 1;
    void proxy.forwardUpgrade(request, socket, head, target, rules).finally(() => (sockets -= 1));
  });
  const connections = new Set<Socket>();
  http.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const rules: PlaceRules = {
    prefix,
    prefixMode: 'stripped',
    publicHost: `127.0.0.1:${port}`,
    publicProtocol: 'http',
    host: 'localhost:3000',
    clientAddress: '192.0.2.7',
    isGuest: false,
    ...options.rules,
  };
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= endAll(http, proxy));
  onTestFinished(close);
  return {
    port,
    url: `http://127.0.0.1:${port}${rules.prefix}/`,
    rules,
    touched: () => touched,
    sockets: () => sockets,
    connections: () => [...connections],
    close,
  };
}

async function endAll(http: Server, proxy: SessionProxy): Promise<void> {
  await proxy.close();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}
