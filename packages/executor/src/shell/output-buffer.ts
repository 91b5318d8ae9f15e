import { ByteRing } from './byte-ring.ts';

/** How much of one stretch of output is kept: its beginning, and its end. What is between is dropped. */
const headBytes = 256 * 1024;
const tailBytes = 6 * 1024 * 1024;

export interface KeptOutput {
  head: Buffer;
  /** Follows the head directly when nothing was dropped. */
  tail: Buffer;
  droppedBytes: number;
  /** Line feeds in all that was written, kept or not. */
  newlines: number;
}

/** Collects output of any size in bounded memory; appending costs one pass over the bytes. */
export class OutputBuffer {
  #head: Buffer[] = [];
  #headLength = 0;
  readonly #tail = new ByteRing(tailBytes);
  #droppedBytes = 0;
  #newlines = 0;

  append(chunk: Buffer): void {
    this.#newlines += countNewlines(chunk);
    const room = headBytes - this.#headLength;
    const first = room > 0 ? chunk.subarray(0, room) : undefined;
    if (first !== undefined) {
      this.#head.push(first);
      this.#headLength += first.length;
    }
    const rest = chunk.subarray(first?.length ?? 0);
    if (rest.length > 0) this.#droppedBytes += this.#tail.append(rest);
  }

  /** Gives what is kept, and starts anew. */
  take(): KeptOutput {
    const kept = {
      head: this.#head.length === 1 ? (this.#head[0] as Buffer) : Buffer.concat(this.#head),
      tail: this.#tail.bytes(),
      droppedBytes: this.#droppedBytes,
      newlines: this.#newlines,
    };
    this.#head = [];
    this.#headLength = 0;
    this.#tail.clear();
    this.#droppedBytes = 0;
    this.#newlines = 0;
    return kept;
  }
}

function countNewlines(chunk: Buffer): number {
  let count = 0;
  for (let i = 0; i < chunk.length; i += 1) if (chunk[i] === 0x0a) count += 1;
  return count;
}
