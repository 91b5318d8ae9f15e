/** How much of one stretch of output is kept: its beginning, and its end. What is between is dropped. */
const headBytes = 256 * 1024;
const tailBytes = 8 * 1024 * 1024;

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
  #tail: Buffer[] = [];
  #tailLength = 0;
  #droppedBytes = 0;
  #newlines = 0;

  get isEmpty(): boolean {
    return this.#headLength === 0;
  }

  append(chunk: Buffer): void {
    this.#newlines += countNewlines(chunk);
    const room = headBytes - this.#headLength;
    if (room > 0) {
      const first = chunk.subarray(0, room);
      this.#head.push(first);
      this.#headLength += first.length;
      if (chunk.length <= room) return;
      chunk = chunk.subarray(room);
    }
    this.#tail.push(chunk);
    this.#tailLength += chunk.length;
    // Dropping half at a time keeps the cost of shifting the list out of every append.
    if (this.#tailLength > 2 * tailBytes) this.#dropOldest();
  }

  /** Gives what is kept, and starts anew. */
  take(): KeptOutput {
    const kept = {
      head: Buffer.concat(this.#head),
      tail: Buffer.concat(this.#tail),
      droppedBytes: this.#droppedBytes,
      newlines: this.#newlines,
    };
    this.#head = [];
    this.#headLength = 0;
    this.#tail = [];
    this.#tailLength = 0;
    this.#droppedBytes = 0;
    this.#newlines = 0;
    return kept;
  }

  #dropOldest(): void {
    let count = 0;
    let excess = this.#tailLength - tailBytes;
    for (const chunk of this.#tail) {
      if (chunk.length > excess) break;
      excess -= chunk.length;
      this.#tailLength -= chunk.length;
      this.#droppedBytes += chunk.length;
      count += 1;
    }
    this.#tail.splice(0, count);
  }
}

function countNewlines(chunk: Buffer): number {
  let count = 0;
  for (let i = 0; i < chunk.length; i += 1) if (chunk[i] === 0x0a) count += 1;
  return count;
}
