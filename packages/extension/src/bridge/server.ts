import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createHttpServer, HttpError, refuseBadRequest, refuseUpgrade } from '@fairlead/http';
import { WebSocketServer } from 'ws';
import { BridgeClient } from './client.ts';
import { closeSocket, type ConnectionParts, SocketConnection } from './connection.ts';
import { checkSite, headerCredentials, queryCredentials } from './credentials.ts';
import { answerHttp, bodyLimitBytes, type HttpParts } from './http-requests.ts';
import type { Operations } from './operations.ts';
import type { BridgeRun, Runs } from './runs.ts';

export interface ServerParts extends Omit<HttpParts, 'authorise' | 'asking'> {
  runs: Runs;
  operations: Pick<Operations, 'receive'>;
  /** A client, or a connection without a name, will ask nothing more. */
  left(callerId: string): void;
}

const mostStrangers = 32;

/** The bridge's door: WebSockets and HTTP on 127.0.0.1, for those who have the token of a run. */
export class BridgeServer {
  readonly #parts: ServerParts;
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: bodyLimitBytes,
    perMessageDeflate: false,
  });
  readonly #connections = new Set<SocketConnection>();
  readonly #clients = new Map<string, BridgeClient>();
  readonly #asking: HttpParts['asking'] = new Map();
  readonly #serverId = randomUUID();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const httpParts: HttpParts = { ...parts, authorise: this.#authorise, asking: this.#asking };
    this.#http = createHttpServer((request, response) => void answerHttp(request, response, httpParts));
    this.#http.on('upgrade', (request, connection, head) => this.#upgrade(request, connection, head));
    this.#http.on('clientError', refuseBadRequest);
  }

  /** The port that it listens on. */
  async listen(port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#http.once('error', reject);
    this.#http.listen(port, '127.0.0.1', resolve);
    await promise;
    this.#http.removeListener('error', reject);
    return (this.#http.address() as AddressInfo).port;
  }

  /** Its token is not good any more: closes what it opened and cancels what it asked for. */
  endRun(runId: string): void {
    for (const connection of this.#connections)
      if (connection.runId === runId) connection.close(1001, 'the run has ended');
    for (const client of this.#clients.values()) if (client.runId === runId) client.end();
    for (const [controller, askerId] of this.#asking) if (askerId === runId) controller.abort();
  }

  /** Nothing is cancelled: for the end of the extension host, after which scripts come back. */
  async close(): Promise<void> {
    for (const client of this.#clients.values()) client.abandon();
    for (const connection of this.#connections) connection.close(1012, 'the window is reloading');
    const closed = new Promise((resolve) => this.#http.close(resolve));
    this.#http.closeAllConnections();
    await closed;
  }

  #upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void {
    connection.on('error', () => undefined);
    try {
      checkSite(request);
      const strangers = [...this.#connections].filter(({ runId }) => runId === undefined);
      if (strangers.length >= mostStrangers) throw new HttpError(503, 'Too many connections without a token');
    } catch (error) {
      return refuseUpgrade(connection, error as HttpError);
    }
    this.#sockets.handleUpgrade(request, connection, head, (socket) => {
      // ws closes the connection itself; an unheard error would end the process.
      socket.on('error', () => undefined);
      const credentials = headerCredentials(request) ?? queryCredentials(request);
      const run = credentials && this.#authorise(credentials);
      if (credentials !== undefined && run === undefined) return closeSocket(socket, 1008, 'Unauthorized');
      const opened = new SocketConnection(socket, run, this.#connectionParts());
      this.#connections.add(opened);
      socket.on('close', () => this.#connections.delete(opened));
    });
  }

  #connectionParts(): ConnectionParts {
    return {
      serverId: this.#serverId,
      authorise: this.#authorise,
      clientOf: (run, id) => this.#clientOf(run, id),
    };
  }

  readonly #authorise: HttpParts['authorise'] = ({ token, session }) => this.#parts.runs.find(token, session);

  #clientOf(run: BridgeRun, clientId: string | undefined): { client: BridgeClient; isResumed: boolean } {
    const { handle, operations, left } = this.#parts;
    const callerId = `${run.id} ${clientId ?? randomUUID()}`;
    const known = this.#clients.get(callerId);
    if (known !== undefined) return { client: known, isResumed: true };
    const gone = () => {
      this.#clients.delete(callerId);
      left(callerId);
    };
    const client = new BridgeClient({
      run,
      callerId,
      handle,
      operations,
      mayComeBack: clientId !== undefined,
      gone,
    });
    this.#clients.set(callerId, client);
    return { client, isResumed: false };
  }
}
