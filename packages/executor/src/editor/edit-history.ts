const entriesPerFile = 10;

/** What undo may hold in memory, over all files. */
const defaultMaximumBytes = 64 * 1024 * 1024;

/** Earlier contents of files, the newest ten of each, the oldest of all given up when they grow too large. */
export class EditHistory {
  readonly #maximumBytes: number;
  /** In the order of each file's newest entry. */
  readonly #files = new Map<string, Uint8Array[]>();
  #bytes = 0;

  constructor(maximumBytes = defaultMaximumBytes) {
    this.#maximumBytes = maximumBytes;
  }

  add(path: string, content: Uint8Array): void {
    const entries = this.#files.get(path) ?? [];
    entries.push(content);
    this.#bytes += content.length;
    if (entries.length > entriesPerFile) this.#bytes -= entries.shift()!.length;
    this.#files.delete(path);
    this.#files.set(path, entries);
    this.#makeRoom();
  }

  newest(path: string): Uint8Array | undefined {
    return this.#files.get(path)?.at(-1);
  }

  removeNewest(path: string): void {
    const entries = this.#files.get(path);
    this.#bytes -= entries?.pop()?.length ?? 0;
    if (entries?.length === 0) this.#files.delete(path);
  }

  #makeRoom(): void {
    for (const [path, entries] of this.#files) {
      while (this.#bytes > this.#maximumBytes && entries.length > 0) this.#bytes -= entries.shift()!.length;
      if (entries.length > 0) return;
      this.#files.delete(path);
    }
  }
}
