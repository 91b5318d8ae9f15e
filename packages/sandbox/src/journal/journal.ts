import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { JournalFile, type Span } from './journal-file.ts';
import {
  eventOf,
  formatLine,
  type LineHead,
  parseHead,
  type RetryMark,
  streamEventOf,
} from './journal-line.ts';

export interface JournalLimits {
  /** A file is not put aside before it has this many answers … */
  minimumObservations: number;
  /** … unless it is larger than this; two files are kept. */
  maximumFileBytes: number;
  /** A file smaller than this is never put aside. */
  minimumFileBytes: number;
}

export interface JournalEntry {
  readonly actionId: string;
  readonly retry: RetryMark | undefined;
  readonly shell: string;
  readonly timeoutSeconds: number | undefined;
  action: Span | undefined;
  observation: Span | undefined;
}

const defaultLimits: JournalLimits = {
  minimumObservations: 1000,
  maximumFileBytes: 32 * 1024 * 1024,
  minimumFileBytes: 4 * 1024 * 1024,
};
const reservationSize = 10_000;

/** The ordered, durable record of a session's actions and observations, and the source of sequence numbers. */
export class Journal {
  readonly #directory: string;
  readonly #limits: JournalLimits;
  readonly #entries = new Map<string, JournalEntry>();
  readonly #entriesByKey = new Map<string, JournalEntry>();
  #records: { seq: number; span: Span }[] = [];
  #previous: JournalFile;
  #current: JournalFile;
  #observationsInCurrent = 0;
  #lastSeq = 0;
  #reservedSeq = 0;

  constructor(directory: string, limits: Partial<JournalLimits> = {}) {
    this.#directory = directory;
    this.#limits = { ...defaultLimits, ...limits };
    const [previous, current, next] = this.#paths();
    // A crash in the middle of a rotation.
    if (existsSync(next) && !existsSync(current)) renameSync(next, current);
    this.#previous = new JournalFile(previous);
    this.#current = new JournalFile(current);
    for (const file of [this.#previous, this.#current]) {
      this.#observationsInCurrent = 0;
      file.recover((line, span) => this.#recoverLine(line, span));
    }
    this.#records.sort((a, b) => a.seq - b.seq);
    this.#lastSeq = Math.max(this.#lastSeq, this.#reservedSeq);
    this.#reservedSeq = this.#lastSeq;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** A number for live output. Numbers are never given twice, also not after a crash. */
  takeSeq(): number {
    this.#lastSeq += 1;
    if (this.#lastSeq > this.#reservedSeq) {
      this.#reservedSeq = this.#lastSeq + reservationSize;
      this.#tryAppend({ type: 'reserved', seq: this.#reservedSeq });
    }
    return this.#lastSeq;
  }

  /** Throws where the disk does not take it. */
  recordAction(
    action: {
      actionId: string;
      shell: string;
      timeoutSeconds?: number | undefined;
      retry?: RetryMark | undefined;
    },
    eventJson: string,
  ): JournalEntry {
    const { actionId, shell, timeoutSeconds, retry } = action;
    const entry: JournalEntry = {
      actionId,
      shell,
      timeoutSeconds,
      retry,
      action: undefined,
      observation: undefined,
    };
    const head = { type: 'action', ...this.#stamp(), actionId, shell } as const;
    const marks = { ...(timeoutSeconds && { timeout: timeoutSeconds }), ...(retry && { retry }) };
    entry.action = this.#append({ ...head, ...marks }, eventJson);
    this.#remember(entry);
    return entry;
  }

  /** Throws where the disk does not take it. */
  recordObservation(entry: JournalEntry, observationJson: string): void {
    const head = { type: 'observation', ...this.#stamp(), actionId: entry.actionId } as const;
    entry.observation = this.#append(
      { ...head, ...(entry.retry && { retry: entry.retry }) },
      observationJson,
    );
    this.#observationsInCurrent += 1;
    if (this.#isCurrentFull()) this.#rotate();
  }

  find(actionId: string): JournalEntry | undefined {
    return this.#entries.get(actionId);
  }

  findByKey(key: string): JournalEntry | undefined {
    return this.#entriesByKey.get(key);
  }

  unfinished(): JournalEntry[] {
    return [...this.#entries.values()].filter(({ observation }) => observation === undefined);
  }

  /** The event of a line, as the JSON text it was recorded with. */
  eventJson(span: Span): string {
    return eventOf(span.file.read(span));
  }

  /** The first kept record after a number, as watchers get it. */
  next(afterSeq: number): { seq: number; text(): string } | undefined {
    const record = this.#records[firstAfter(this.#records, afterSeq)];
    return record && { seq: record.seq, text: () => streamEventOf(record.span.file.read(record.span)) };
  }

  close(): void {
    this.#previous.close();
    this.#current.close();
  }

  #stamp(): { seq: number; time: string } {
    this.#lastSeq += 1;
    return { seq: this.#lastSeq, time: new Date().toISOString() };
  }

  #append(head: LineHead, eventJson: string): Span {
    const span = this.#current.append(formatLine(head, eventJson));
    this.#records.push({ seq: head.seq, span });
    return span;
  }

  #tryAppend(head: LineHead): void {
    try {
      this.#current.append(formatLine(head));
    } catch {
      // Only the numbering after a crash on a full disk is at stake.
    }
  }

  #remember(entry: JournalEntry): void {
    this.#entries.set(entry.actionId, entry);
    if (entry.retry !== undefined) this.#entriesByKey.set(entry.retry.key, entry);
  }

  #isCurrentFull(): boolean {
    const { minimumObservations, minimumFileBytes, maximumFileBytes } = this.#limits;
    const { sizeBytes } = this.#current;
    if (sizeBytes > maximumFileBytes) return true;
    return sizeBytes > minimumFileBytes && this.#observationsInCurrent >= minimumObservations;
  }

  /** Forgets the older file, and carries what still runs into the new one. */
  #rotate(): void {
    const forgotten = this.#previous;
    const [previousPath, currentPath, nextPath] = this.#paths();
    // What an attempt on a full disk has left must not be carried along.
    rmSync(nextPath, { force: true });
    const next = new JournalFile(nextPath);
    try {
      this.#carryUnfinished(next);
    } catch (error) {
      next.close();
      throw error;
    }
    renameSync(currentPath, previousPath);
    renameSync(nextPath, currentPath);
    this.#previous = this.#current;
    this.#current = next;
    this.#observationsInCurrent = 0;
    this.#records = this.#records.filter(({ span }) => span.file !== forgotten);
    for (const entry of this.#entries.values())
      if (entry.observation?.file === forgotten) this.#forget(entry);
    forgotten.close();
  }

  #carryUnfinished(next: JournalFile): void {
    next.append(formatLine({ type: 'reserved', seq: Math.max(this.#reservedSeq, this.#lastSeq) }));
    const carried = this.unfinished().map((entry) => {
      return { entry, action: entry.action && next.append(entry.action.file.read(entry.action)) };
    });
    for (const { entry, action } of carried) entry.action = action;
  }

  #forget(entry: JournalEntry): void {
    this.#entries.delete(entry.actionId);
    if (entry.retry !== undefined) this.#entriesByKey.delete(entry.retry.key);
  }

  #recoverLine(line: Buffer, span: Span): void {
    const head = parseHead(line);
    if (head === undefined) return;
    if (head.type === 'reserved') {
      this.#reservedSeq = Math.max(this.#reservedSeq, head.seq);
      return;
    }
    this.#lastSeq = Math.max(this.#lastSeq, head.seq);
    const known = this.#entries.get(head.actionId);
    if (head.type === 'action') {
      // A record that was carried over stands in both files.
      if (known !== undefined) return;
      const { actionId, shell, timeout: timeoutSeconds, retry } = head;
      this.#remember({ actionId, shell, timeoutSeconds, retry, action: span, observation: undefined });
    } else {
      this.#observationsInCurrent += 1;
      if (known !== undefined) known.observation = span;
      else this.#remember(withoutAction(head.actionId, head.retry, span));
    }
    this.#records.push({ seq: head.seq, span });
  }

  #paths(): [previous: string, current: string, next: string] {
    const path = (name: string) => join(this.#directory, name);
    return [path('journal.previous.jsonl'), path('journal.jsonl'), path('journal.next.jsonl')];
  }
}

/** Its action was in a file that is forgotten; the answer is still there for a retry. */
function withoutAction(actionId: string, retry: RetryMark | undefined, observation: Span): JournalEntry {
  return { actionId, retry, shell: '', timeoutSeconds: undefined, action: undefined, observation };
}

function firstAfter(records: { seq: number }[], seq: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (records[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
