import type { SessionShells } from '@fairlead/executor';
import type { StreamEvent } from '@fairlead/protocol';
import type { Journal } from './journal.ts';
import { type OutputChunk, OutputRing } from './output-ring.ts';

/** One stream event as text, and the number up to which a watcher has then seen everything. */
export interface NextEvent {
  seq: number;
  text: string;
}

/**
 * Merges the journal and live output by number. Watchers pull with the last number they have seen, so a slow one
 * costs nothing: what was dropped meanwhile becomes a `gap`.
 */
export class EventStream {
  readonly #journal: Journal;
  readonly #ring: OutputRing;
  readonly #listeners = new Set<() => void>();
  readonly #stopOutput: () => void;

  constructor(journal: Journal, shells: SessionShells, outputLimitBytes?: number) {
    this.#journal = journal;
    this.#ring = new OutputRing(() => journal.takeSeq(), outputLimitBytes);
    this.#stopOutput = shells.onOutput((output) => {
      this.#ring.push(output);
      if (this.#listeners.size > 0) this.notify();
    });
  }

  get lastSeq(): number {
    return this.#journal.lastSeq;
  }

  /** The first event after a number; undefined when there is none yet. */
  next(afterSeq: number): NextEvent | undefined {
    const record = this.#journal.next(afterSeq);
    const chunk = this.#ring.next(afterSeq);
    const firstSeq = Math.min(record?.seq ?? Infinity, chunk?.seq ?? Infinity);
    if (firstSeq > afterSeq + 1) {
      const toSeq = Math.min(firstSeq - 1, this.lastSeq);
      return toSeq > afterSeq ? gap(afterSeq + 1, toSeq) : undefined;
    }
    return chunk?.seq === firstSeq ? outputEvent(chunk) : { seq: firstSeq, text: record!.text() };
  }

  /** Called whenever `next` may have more. Returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** No more output belongs to what ran in this shell. */
  endOutput(shell: string): void {
    this.#ring.flush(shell);
  }

  close(): void {
    this.#stopOutput();
    this.#listeners.clear();
  }
}

function outputEvent({ seq, timeMs, actionId, shell, data }: OutputChunk): NextEvent {
  const time = new Date(timeMs).toISOString();
  return textOf(seq, { seq, time, type: 'output', actionId, shell, data: data.toString('utf8') });
}

function gap(fromSeq: number, toSeq: number): NextEvent {
  return textOf(toSeq, { type: 'gap', fromSeq, toSeq });
}

function textOf(seq: number, event: StreamEvent): NextEvent {
  return { seq, text: JSON.stringify(event) };
}
