import { Duplex } from 'node:stream';
import { creditBytes, type FrameKind, maxPayloadBytes, maxReasonBytes } from './frames.ts';

/** What may be on its way in one direction of a stream, and so what a reader that does not read has to keep. */
export const windowBytes = 256 * 1024;
/** Told only when half of the window was read: a short exchange costs no frame for this. */
const creditStepBytes = windowBytes / 2;
/** What a frame counts beside its bytes, so that many tiny ones fill the window too. */
const frameCost = 64;

export type SendFrame = (kind: FrameKind, payload?: Uint8Array) => void;

/** One byte stream of a tunnel. It ends each direction by itself, as a socket with `allowHalfOpen` does. */
export class MuxStream extends Duplex {
  readonly #send: SendFrame;
  readonly #closed: () => void;
  #creditLeft = windowBytes;
  #unsent: { chunk: Buffer; done: (error?: Error | null) => void } | undefined;
  /** Received and not yet asked for by a reader. */
  readonly #received: Uint8Array[] = [];
  #receivedCost = 0;
  #readSinceCredit = 0;
  #wantsMore = false;
  #hasEnded = false;
  #peerHasEnded = false;
  #endIsPushed = false;
  #peerIsGone = false;

  constructor(send: SendFrame, closed: () => void) {
    super({ allowHalfOpen: true, readableHighWaterMark: maxPayloadBytes });
    this.#send = send;
    this.#closed = closed;
    // A connection that breaks must not end the program of someone who only waits for `close`.
    this.on('error', () => undefined);
  }

  /** Bytes of the peer; false when it sent more than it may. */
  takeData(chunk: Uint8Array): boolean {
    if (this.#peerHasEnded) return false;
    this.#receivedCost += chunk.length + frameCost;
    if (this.#receivedCost + this.#readSinceCredit > windowBytes) return false;
    this.#received.push(chunk);
    this.#deliver();
    return true;
  }

  takeEnd(): void {
    this.#peerHasEnded = true;
    this.#deliver();
  }

  /** False when the peer allows more than the window ever holds. */
  takeCredit(bytes: number): boolean {
    this.#creditLeft += bytes;
    if (this.#creditLeft > windowBytes) return false;
    this.#flush();
    return true;
  }

  /** The peer, or the connection to it, ended this stream. */
  takeReset(error: Error): void {
    this.#peerIsGone = true;
    this.destroy(error);
  }

  override _read(): void {
    this.#wantsMore = true;
    this.#deliver();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#unsent = { chunk, done };
    this.#flush();
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#hasEnded = true;
    this.#send('end');
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#closed();
    if (!this.#peerIsGone && !(this.#hasEnded && this.#peerHasEnded)) {
      this.#send('reset', Buffer.from(error?.message ?? '').subarray(0, maxReasonBytes));
    }
    this.#received.length = 0;
    this.#unsent = undefined;
    done(error);
  }

  #flush(): void {
    const unsent = this.#unsent;
    if (unsent === undefined) return;
    while (unsent.chunk.length > 0 && this.#creditLeft > frameCost) {
      const part = unsent.chunk.subarray(0, Math.min(maxPayloadBytes, this.#creditLeft - frameCost));
      unsent.chunk = unsent.chunk.subarray(part.length);
      this.#creditLeft -= part.length + frameCost;
      this.#send('data', part);
    }
    if (unsent.chunk.length > 0) return;
    this.#unsent = undefined;
    unsent.done();
  }

  #deliver(): void {
    while (this.#wantsMore && !this.destroyed) {
      const chunk = this.#received.shift();
      if (chunk === undefined) break;
      this.#receivedCost -= chunk.length + frameCost;
      this.#readSinceCredit += chunk.length + frameCost;
      this.#wantsMore = this.push(chunk);
    }
    if (this.destroyed) return;
    if (this.#peerHasEnded) {
      if (this.#received.length === 0) this.#pushEnd();
    } else if (this.#readSinceCredit >= creditStepBytes) {
      const credit = Buffer.alloc(creditBytes);
      credit.writeUInt32BE(this.#readSinceCredit);
      this.#readSinceCredit = 0;
      this.#send('credit', credit);
    }
  }

  #pushEnd(): void {
    if (this.#endIsPushed) return;
    this.#endIsPushed = true;
    this.push(null);
  }
}
