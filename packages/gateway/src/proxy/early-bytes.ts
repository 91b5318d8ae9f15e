import type { Duplex } from 'node:stream';

const limitBytes = 64 * 1024;

/**
 * Reads on while a socket waits for its server, because who does not read is not told that the client has left. A client
 * that ends the connection now is gone, and one that sends more than this before it is answered speaks no WebSocket.
 */
export class EarlyBytes {
  readonly #socket: Duplex;
  readonly #pieces: Buffer[];
  #bytes: number;
  readonly #onData = (piece: Buffer) => this.#keep(piece);
  readonly #onEnd = () => this.#socket.destroy();

  constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket;
    this.#pieces = [head];
    this.#bytes = head.length;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
  }

  /** What has come until now; what comes from now on waits for the next reader. */
  take(): Buffer {
    this.#socket.pause();
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    return Buffer.concat(this.#pieces);
  }

  /** There will be no other reader; the client is watched to its end. */
  drop(): void {
    this.#socket.off('data', this.#onData);
    this.#socket.resume();
    this.#pieces.length = 0;
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > limitBytes) this.#socket.destroy();
  }
}
