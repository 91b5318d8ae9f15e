import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { joinSockets } from '../../proxy/join-sockets.ts';

/** A session's Unix socket, served by the gateway itself: each connection becomes a stream to the window. */
export class SessionSocket {
  readonly #path: string;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  private constructor(path: string, server: Server) {
    this.#path = path;
    this.#server = server;
    server.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.on('close', () => this.#connections.delete(socket));
    });
  }

  static async listen(path: string, openStream: () => Duplex): Promise<SessionSocket> {
    // Of a gateway that was killed.
    rmSync(path, { force: true });
    const server = createServer({ allowHalfOpen: true }, (socket) => pass(socket, openStream));
    const session = new SessionSocket(path, server);
    server.listen(path);
    await once(server, 'listening');
    return session;
  }

  /** Who connects from now on finds nobody. */
  close(): void {
    this.#server.close();
    rmSync(this.#path, { force: true });
    for (const socket of this.#connections) socket.destroy();
  }
}

function pass(socket: Socket, openStream: () => Duplex): void {
  socket.on('error', () => undefined);
  try {
    void joinSockets(socket, openStream(), () => undefined);
  } catch {
    // The window has just gone, or has as many streams as it may.
    socket.destroy();
  }
}
