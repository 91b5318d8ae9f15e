import type { Duplex } from 'node:stream';
import { type DecodedFrame, decodeFrame, encodeFrame, type Frame, maxLabelBytes } from './frames.ts';
import { MuxStream } from './mux-stream.ts';

/** Of one peer; each can hold a window of bytes in memory. */
const maxStreams = 256;

/**
 * Many byte streams over one connection that carries messages in order. One side opens streams, under a label that says what
 * for; the other side accepts them. Each stream has its own flow control, so one that nobody reads holds up no other.
 *
 * A peer that breaks the rules ends the whole tunnel (`isClosed`); it is never believed about how much it may send.
 */
export class StreamMux {
  readonly #send: (frame: Frame) => void;
  readonly #accept: ((label: string, stream: Duplex) => void) | undefined;
  readonly #streams = new Map<number, MuxStream>();
  #lastNumber = 0;
  #closedBy: Error | undefined;

  constructor(send: (frame: Frame) => void, accept?: (label: string, stream: Duplex) => void) {
    this.#send = send;
    this.#accept = accept;
  }

  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  open(label: string): Duplex {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    if (this.#accept !== undefined) throw new Error('this side of the tunnel accepts streams');
    const name = Buffer.from(label);
    if (name.length > maxLabelBytes) throw new Error(`a label of ${name.length} bytes is too long`);
    if (this.#streams.size >= maxStreams) {
      throw new Error(`there are already ${maxStreams} streams in this tunnel`);
    }
    this.#lastNumber += 1;
    this.#send(encodeFrame('open', this.#lastNumber, name));
    return this.#add(this.#lastNumber);
  }

  /** What the peer sent, as it came. */
  receive(received: unknown): void {
    if (this.#closedBy !== undefined) return;
    const frame = decodeFrame(received);
    const fault = 'fault' in frame ? frame.fault : this.#take(frame);
    if (fault !== undefined) this.close(new Error(`the other side of the tunnel broke its rules: ${fault}`));
  }

  /** Ends all streams, without a word to the peer: the connection is lost, or is about to be closed. */
  close(reason: Error = connectionLost('the tunnel was closed')): void {
    if (this.#closedBy !== undefined) return;
    this.#closedBy = reason;
    for (const stream of this.#streams.values()) stream.takeReset(reason);
    this.#streams.clear();
  }

  #take({ kind, streamNumber, payload }: DecodedFrame): string | undefined {
    if (kind === 'open') return this.#takeOpen(streamNumber, payload);
    const stream = this.#streams.get(streamNumber);
    // Closed here a moment ago, which the peer did not know when it sent this.
    if (stream === undefined) return undefined;
    switch (kind) {
      case 'data':
        return stream.takeData(payload) ? undefined : 'it sent more than it was allowed to';
      case 'credit':
        return stream.takeCredit(Buffer.from(payload).readUInt32BE(0))
          ? undefined
          : 'it allowed more than a window';
      case 'end':
        stream.takeEnd();
        return undefined;
      case 'reset':
        stream.takeReset(connectionLost(Buffer.from(payload).toString() || 'the stream was closed'));
        return undefined;
    }
  }

  #takeOpen(streamNumber: number, label: Uint8Array): string | undefined {
    if (this.#accept === undefined) return 'it opened a stream where it may only accept';
    if (streamNumber <= this.#lastNumber) return `it opened stream ${streamNumber} twice`;
    if (this.#streams.size >= maxStreams) return `it opened more than ${maxStreams} streams`;
    this.#lastNumber = streamNumber;
    this.#accept(Buffer.from(label).toString(), this.#add(streamNumber));
    return undefined;
  }

  #add(streamNumber: number): MuxStream {
    const stream = new MuxStream(
      (kind, payload) => {
        if (this.#closedBy === undefined) this.#send(encodeFrame(kind, streamNumber, payload));
      },
      () => this.#streams.delete(streamNumber),
    );
    this.#streams.set(streamNumber, stream);
    return stream;
  }
}

/** With the code that HTTP clients know as a connection that broke. */
function connectionLost(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}
