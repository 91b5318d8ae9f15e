/**
 * The last bytes of a stream, in one block of memory. Copying them here lets the chunks they came in go at once:
 * kept in a list they would grow old, and old memory is given back late.
 */
export class ByteRing {
  readonly #capacity: number;
  #block: Buffer | undefined;
  #end = 0;
  #length = 0;

  constructor(capacityBytes: number) {
    this.#capacity = capacityBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns how many old bytes had to go. */
  append(chunk: Buffer): number {
    this.#block ??= Buffer.allocUnsafeSlow(this.#capacity);
    const last = chunk.length > this.#capacity ? chunk.subarray(-this.#capacity) : chunk;
    const untilEdge = Math.min(last.length, this.#capacity - this.#end);
    last.copy(this.#block, this.#end, 0, untilEdge);
    last.copy(this.#block, 0, untilEdge);
    this.#end = (this.#end + last.length) % this.#capacity;
    const total = this.#length + chunk.length;
    this.#length = Math.min(total, this.#capacity);
    return total - this.#length;
  }

  /** A copy of what is there, oldest first. */
  bytes(): Buffer {
    if (this.#block === undefined) return Buffer.alloc(0);
    const start = this.#end - this.#length;
    if (start >= 0) return Buffer.from(this.#block.subarray(start, this.#end));
    return Buffer.concat([this.#block.subarray(start), this.#block.subarray(0, this.#end)]);
  }

  clear(): void {
    this.#block = undefined;
    this.#end = 0;
    this.#length = 0;
  }
}
