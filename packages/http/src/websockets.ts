import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

const messageLimitBytes = 1024 * 1024;
const heartbeatMs = 30_000;

/** Turns accepted requests into WebSockets, and ends those whose peer is gone without a word. */
export class WebSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: messageLimitBytes,
    perMessageDeflate: false,
  });
  readonly #silent = new WeakSet<WebSocket>();
  readonly #heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();

  accept(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<WebSocket> {
    return new Promise((resolve) => {
      this.#server.handleUpgrade(request, connection, head, (socket) => {
        // ws closes the connection itself; an unheard error would end the process.
        socket.on('error', () => undefined);
        socket.on('pong', () => this.#silent.delete(socket));
        resolve(socket);
      });
    });
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const socket of this.#server.clients) {
      socket.close(1001, 'the server is shutting down');
      setTimeout(() => socket.terminate(), 500).unref();
    }
  }

  #beat(): void {
    for (const socket of this.#server.clients) {
      if (this.#silent.has(socket)) {
        socket.terminate();
        continue;
      }
      this.#silent.add(socket);
      socket.ping();
    }
  }
}
