import type { Runtime, RuntimeListener, RuntimeWatch } from '../runtime/runtime.ts';
import { WatcherQueue } from './watcher-queue.ts';

/** How long an observation waits for the last of its output, which comes by another way. */
const outputLimitMs = 1_000;
const reconnectMs = 200;
const rememberedActions = 1_000;

/** Tells the watchers of one session what happens, in order. Asks the runtime for output only while somebody watches. */
export class EventHub {
  readonly #watchers = new Set<WatcherQueue>();
  /** Observations whose output may still be on its way. */
  readonly #awaited = new Map<string, () => void>();
  /** Output of these is complete although their observation is not recorded yet. */
  readonly #complete = new Set<string>();
  /** Numbers that are recorded but not told yet. */
  readonly #held = new Set<number>();
  #lastSeq: number;
  #toldSeq: number;
  /** None while the session cannot answer. */
  #runtime: Runtime | undefined;
  #stream: RuntimeWatch | undefined;
  /** Where a broken stream goes on. */
  #place: number | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(lastSeq: number) {
    this.#lastSeq = lastSeq;
    this.#toldSeq = lastSeq;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** A queue that gets everything from now on; `leave` when it is no longer read. */
  join(): WatcherQueue {
    // Nothing that is recorded is held back from one who comes now; what is printed of it later is none of its business.
    const watcher = new WatcherQueue(this.#awaited.keys());
    const joinedSeq = this.#lastSeq;
    this.#watchers.add(watcher);
    watcher.journal(joinedSeq);
    if (this.#isOver) watcher.end();
    else void this.#listen().then(() => this.#tellLive(watcher, joinedSeq));
    return watcher;
  }

  leave(watcher: WatcherQueue): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0) this.#stopListening();
  }

  /** The session has a runtime that answers, maybe one that was started again. */
  async attach(runtime: Runtime): Promise<void> {
    if (this.#runtime !== undefined && this.#runtime !== runtime) this.#stopListening();
    this.#runtime = runtime;
    if (this.isWatched) await this.#listen();
  }

  /** The runtime stands still, and goes on where it was with `attach`. */
  freeze(): void {
    this.#runtime = undefined;
  }

  detach(): void {
    this.#runtime = undefined;
    this.#stopListening();
  }

  recorded(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#tellJournal();
  }

  /** An observation of the runtime's comes behind the output of its action. */
  recordedObservation(seq: number, actionId: string): void {
    const isListening = this.isWatched && (this.#stream !== undefined || this.#runtime !== undefined);
    if (!isListening || this.#complete.delete(actionId)) return this.recorded(seq);
    this.#held.add(seq);
    const release = () => {
      clearTimeout(timer);
      this.#awaited.delete(actionId);
      this.#held.delete(seq);
      this.#tellJournal();
    };
    const timer = setTimeout(release, outputLimitMs);
    this.#awaited.set(actionId, release);
    this.recorded(seq);
  }

  close(): void {
    this.#isOver = true;
    this.detach();
    for (const watcher of this.#watchers) watcher.end();
  }

  /** Everything up to here may be told: what is held back holds back what comes after it. */
  get #visibleSeq(): number {
    return this.#held.size === 0 ? this.#lastSeq : Math.min(...this.#held) - 1;
  }

  #tellJournal(): void {
    const visibleSeq = this.#visibleSeq;
    if (visibleSeq <= this.#toldSeq) return;
    this.#toldSeq = visibleSeq;
    for (const watcher of this.#watchers) watcher.journal(visibleSeq);
  }

  #tellLive(watcher: WatcherQueue, joinedSeq: number): void {
    const seq = Math.max(joinedSeq, this.#visibleSeq);
    watcher.journal(seq);
    watcher.live(seq);
  }

  async #listen(): Promise<void> {
    clearTimeout(this.#reconnect);
    this.#stream ??= this.#runtime?.watch(this.#listener(), this.#place);
    await this.#stream?.opened;
  }

  #listener(): RuntimeListener {
    return {
      onOutput: ({ time, actionId, shell, data }) => {
        const text = JSON.stringify({ type: 'output', time, actionId, shell, data });
        for (const watcher of this.#watchers) watcher.output(text, actionId);
      },
      onObservation: (actionId) => {
        const release = this.#awaited.get(actionId);
        if (release !== undefined) release();
        else this.#remember(actionId);
      },
      onGap: () => {
        for (const watcher of this.#watchers) watcher.lost(null);
      },
      onLost: (place) => {
        this.#stream = undefined;
        this.#place = place;
        this.#reconnect = setTimeout(() => void this.#listen(), reconnectMs).unref();
      },
    };
  }

  /** The runtime's own news may be here before the gateway has recorded the observation. */
  #remember(actionId: string): void {
    this.#complete.add(actionId);
    const [oldest] = this.#complete;
    if (this.#complete.size > rememberedActions && oldest !== undefined) this.#complete.delete(oldest);
  }

  #stopListening(): void {
    clearTimeout(this.#reconnect);
    this.#stream?.close();
    this.#stream = undefined;
    this.#place = undefined;
    this.#complete.clear();
    for (const release of this.#awaited.values()) release();
  }
}
