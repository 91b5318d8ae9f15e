const keptBytes = 256 * 1024;

/** The last stretch of a terminal's bytes. */
export class RecentOutput {
  #chunks: Buffer[] = [];
  #length = 0;

  append(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > 2 * keptBytes) this.#compact();
  }

  bytes(): Buffer {
    this.#compact();
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #compact(): void {
    const kept = Buffer.concat(this.#chunks).subarray(-keptBytes);
    this.#chunks = [Buffer.from(kept)];
    this.#length = kept.length;
  }
}
