import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** A server in the gateway's place that answers as the test wants, and echoes WebSockets. */
export class StandIn {
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  /** What reached it, newest last. */
  readonly requests: IncomingMessage[] = [];
  connections = 0;
  answer: RequestListener = (_request, response) => void response.end('here');

  constructor() {
    this.#http = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
      this.requests.push(request);
      this.answer(request, response);
    });
    this.#http.on('connection', () => (this.connections += 1));
    this.#http.on('upgrade', (request, socket, head) => {
      this.requests.push(request);
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('message', (data, isBinary) => webSocket.send(data as Buffer, { binary: isBinary }));
      });
    });
  }

  async listen(): Promise<string> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get last(): IncomingMessage {
    const request = this.requests.at(-1);
    if (request === undefined) throw new Error('Nothing has reached the server');
    return request;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
  }
}
