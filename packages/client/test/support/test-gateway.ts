import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket as NetSocket } from 'node:net';
import { runObservation, type SessionEvent } from '@fairlead/protocol';
import { Server as SocketServer, type Socket } from 'socket.io';
import { WebSocketServer } from 'ws';

export const sessionId = 'sabcdefghijklmnopqrs';
export const key = 'fl_test_key';

export interface ReceivedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

type Answer = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/**
 * A server that speaks a gateway's wire as far as a test scripts it: HTTP by path, watches over Socket.IO from a
 * journal in memory, terminals over WebSocket.
 */
export class TestGateway {
  readonly requests: ReceivedRequest[] = [];
  readonly routes = new Map<string, Answer>();
  readonly journal: SessionEvent[] = [];
  readonly watches: { after: number | undefined; socket: Socket }[] = [];
  readonly terminals = new WebSocketServer({ noServer: true });
  watchAnswer: { ok: true } | { ok: false; status: number; detail: string } = { ok: true };
  acknowledged = 0;
  readonly #server: Server;
  readonly #sockets: SocketServer;
  readonly #connections = new Set<NetSocket>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.on('close', () => this.#connections.delete(socket));
    });
    this.#sockets = new SocketServer(this.#server);
    this.#server.on('upgrade', (request, socket, head) => {
      if (!request.url?.startsWith('/runtimes/')) return;
      this.terminals.handleUpgrade(request, socket, head, (terminal) =>
        this.terminals.emit('connection', terminal, request),
      );
    });
    this.#sockets.of('/sessions').use((socket, next) => {
      if (socket.handshake.auth['key'] === key) return next();
      next(Object.assign(new Error('refused'), { data: { status: 401, detail: 'Invalid API Key' } }));
    });
    this.#sockets.of('/sessions').on('connection', (socket) => {
      socket.on('watch', ({ after }: { after?: number }, answer: (value: unknown) => void) => {
        answer(this.watchAnswer);
        if (!this.watchAnswer.ok) return;
        this.watches.push({ after, socket });
        const known = this.journal.filter((event) => 'seq' in event && event.seq > (after ?? Infinity));
        this.send([...known, { type: 'live', seq: this.lastSeq }], socket);
      });
    });
  }

  static async start(port = 0): Promise<TestGateway> {
    const gateway = new TestGateway();
    await new Promise<void>((resolve) => gateway.#server.listen(port, '127.0.0.1', resolve));
    return gateway;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get lastSeq(): number {
    return Math.max(0, ...this.journal.map((event) => ('seq' in event ? event.seq : 0)));
  }

  send(events: unknown[], to?: Socket): void {
    for (const socket of to ? [to] : this.watches.map((watch) => watch.socket)) {
      socket.emit('events', events, () => (this.acknowledged += 1));
    }
  }

  /** Breaks every connection, as a network does. */
  cut(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await this.#sockets.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://gateway');
    if (url.pathname.startsWith('/socket.io/')) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks),
    };
    this.requests.push(received);
    const answer = this.routes.get(`${received.method} ${received.path}`);
    if (answer === undefined) return json(response, { detail: 'Not Found' }, 404);
    await answer(received, response);
  }
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export const actionsRoute = `POST /api/sessions/${sessionId}/actions`;

export function actionIdOf(request: ReceivedRequest): string {
  return String(request.headers['x-action-id']);
}

export function output(actionId: string | null, data: string): SessionEvent {
  return { type: 'output', time: now(), actionId, shell: 'main', data };
}

export function observed(seq: number, actionId: string, event: Record<string, unknown>): SessionEvent {
  return { type: 'observation', seq, time: now(), actionId, event };
}

export function state(seq: number): SessionEvent {
  return { type: 'state', seq, time: now(), state: 'running', reason: null };
}

export const finished = runObservation('make', 'built', {
  exit_code: 3,
  working_dir: '/workspace',
  suffix: '\n[The command completed with exit code 3.]',
});

function now(): string {
  return new Date().toISOString();
}
