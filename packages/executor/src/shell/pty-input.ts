import { writeSync } from 'node:fs';
import type { IPty } from '@lydell/node-pty';

const retryMs = 10;

/** What the library has and its types do not tell. */
interface PtyInternals {
  fd: number;
  _socket: { destroyed: boolean };
}

/**
 * Writes to a pty and never waits for its program. The library's own `write` does: 16 KB of lines for a program that
 * reads nothing would stop this whole process. What is not taken yet waits here, in order.
 */
export class PtyInput {
  readonly #pty: PtyInternals;
  #waiting: Buffer[] = [];
  #retry: NodeJS.Timeout | undefined;

  constructor(pty: IPty) {
    this.#pty = pty as unknown as PtyInternals;
  }

  write(data: string | Uint8Array): void {
    this.#waiting.push(Buffer.from(data as Uint8Array));
    if (this.#retry === undefined) this.#flush();
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#waiting = [];
  }

  #flush(): void {
    this.#retry = undefined;
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) this.#writeSome(next);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN')
        this.#retry = setTimeout(() => this.#flush(), retryMs).unref();
      // Any other error is the end of the terminal, which its exit tells.
      else this.#waiting = [];
    }
  }

  #writeSome(bytes: Buffer): void {
    // The number of a closed terminal may already be another file's.
    const isGone = this.#pty._socket.destroyed;
    const count = isGone ? bytes.length : writeSync(this.#pty.fd, bytes);
    if (count === bytes.length) this.#waiting.shift();
    else this.#waiting[0] = bytes.subarray(count);
  }
}
