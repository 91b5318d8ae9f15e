const outputLimitBytes = 1024 * 1024;

type Item =
  | { kind: 'journal'; upToSeq: number }
  | { kind: 'output'; text: string; bytes: number }
  | { kind: 'live'; seq: number }
  | { kind: 'lost'; bytes: number | null };

/** What a watcher is to be told: texts, or what the journal has up to a number. */
export type Told = { upToSeq: number } | { texts: string[] };

/** What one watcher has not been told yet: bounded, for the journal stands in it as a number only. */
export class WatcherQueue {
  readonly #items: Item[] = [];
  /** Actions whose end this watcher is told before anything else. */
  readonly #over: ReadonlySet<string>;
  /** Stands where the first of it is missing, and counts all that is missing since. */
  #lost: Extract<Item, { kind: 'lost' }> | undefined;
  #outputBytes = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(over: Iterable<string> = []) {
    this.#over = new Set(over);
  }

  journal(upToSeq: number): void {
    const last = this.#items.at(-1);
    if (last?.kind === 'journal') last.upToSeq = Math.max(last.upToSeq, upToSeq);
    else this.#items.push({ kind: 'journal', upToSeq });
    this.#wake?.();
  }

  output(text: string, actionId: string | null): void {
    if (actionId !== null && this.#over.has(actionId)) return;
    const bytes = Buffer.byteLength(text);
    if (this.#lost !== undefined || this.#outputBytes + bytes > outputLimitBytes) return this.lost(bytes);
    this.#outputBytes += bytes;
    this.#items.push({ kind: 'output', text, bytes });
    this.#wake?.();
  }

  /** Output that this watcher will not get; null when nobody knows how much. */
  lost(bytes: number | null): void {
    if (this.#lost === undefined) {
      this.#lost = { kind: 'lost', bytes };
      this.#items.push(this.#lost);
    } else {
      this.#lost.bytes = bytes === null || this.#lost.bytes === null ? null : this.#lost.bytes + bytes;
    }
    this.#wake?.();
  }

  live(seq: number): void {
    this.#items.push({ kind: 'live', seq });
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** What comes next; undefined when it is over. */
  async next(signal: AbortSignal): Promise<Told | undefined> {
    for (;;) {
      const told = this.#take();
      if (told !== undefined) return told;
      if (this.#isOver || signal.aborted) return undefined;
      await this.#change(signal);
    }
  }

  #take(): Told | undefined {
    const texts: string[] = [];
    for (let item = this.#items[0]; item !== undefined; item = this.#items[0]) {
      if (item.kind === 'journal' && texts.length > 0) break;
      this.#items.shift();
      if (item.kind === 'journal') return { upToSeq: item.upToSeq };
      texts.push(this.#textOf(item));
    }
    return texts.length === 0 ? undefined : { texts };
  }

  #textOf(item: Exclude<Item, { kind: 'journal' }>): string {
    switch (item.kind) {
      case 'output':
        this.#outputBytes -= item.bytes;
        return item.text;
      case 'live':
        return JSON.stringify({ type: 'live', seq: item.seq });
      case 'lost':
        this.#lost = undefined;
        return JSON.stringify({ type: 'lost-output', bytes: item.bytes });
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }
}
