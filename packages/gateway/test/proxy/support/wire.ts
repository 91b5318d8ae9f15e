import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection on which a test writes and reads bytes itself. */
export class Wire {
  readonly socket: Socket;
  text = '';
  isClosed = false;
  #onNews: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (piece) => this.#tell(() => (this.text += String(piece))));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => this.#tell(() => (this.isClosed = true)));
    onTestFinished(() => void this.socket.destroy());
  }

  write(text: string | Buffer): this {
    if (typeof text === 'string') this.socket.write(text, 'latin1');
    else this.socket.write(text);
    return this;
  }

  /** A request without a body; `Host` is added. */
  request(line: string, ...headers: string[]): this {
    return this.write([`${line} HTTP/1.1`, 'Host: gateway.example', ...headers, '', ''].join('\r\n'));
  }

  /** Waits until this has been read; what was read until then. */
  async reads(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.isClosed) throw new Error(`Closed before ${pattern} was read: ${this.text}`);
      await this.#news();
    }
    return this.text;
  }

  /** Waits for the end; all that was read. */
  async ends(): Promise<string> {
    while (!this.isClosed) await this.#news();
    return this.text;
  }

  #tell(change: () => void): void {
    change();
    this.#onNews();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => (this.#onNews = resolve));
  }
}
