import type { Driver } from '../drivers/driver.ts';
import { GatewayError } from '../gateway-error.ts';
import type { SandboxRuntime } from '../runtime/sandbox-runtime.ts';
import type { SessionRecord } from '../store/store.ts';
import type { EventHub } from './event-hub.ts';
import { Turns } from './turns.ts';

export interface Outcome {
  observationJson: string;
  /** Not the gateway's own word about what it cannot find out. */
  isFromRuntime: boolean;
}

/** A session from before its sandbox is started until that is ended. One that goes on later is another of these. */
export class LiveSession {
  readonly driver: Driver;
  readonly runtime: SandboxRuntime;
  readonly hub: EventHub;
  /** Actions are recorded one at a time. */
  readonly arrivals = new Turns();
  /** Answers that are on their way, by action id. */
  readonly running = new Map<string, Promise<string>>();
  /** What the store has not taken yet, by action id. */
  readonly unrecorded = new Map<string, Outcome>();
  record: SessionRecord;
  /** Its sandbox is being ended: it takes no new actions. */
  isEnding = false;
  /** When its sandbox had to be started again, lately. */
  restartsMs: number[] = [];
  recovering: Promise<boolean> | undefined;
  lastActiveMs: number;
  lastChangeMs = Date.now();
  readonly #abandoned = new AbortController();
  #isLive = true;
  #changed = Promise.withResolvers<void>();

  constructor(record: SessionRecord, driver: Driver, runtime: SandboxRuntime, hub: EventHub) {
    this.record = record;
    this.driver = driver;
    this.runtime = runtime;
    this.hub = hub;
    this.lastActiveMs = Date.parse(record.lastActiveAt);
  }

  get id(): string {
    return this.record.id;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  get isRunning(): boolean {
    return this.#isLive && this.record.state === 'running';
  }

  /** Resolves at the next change of state, and when the session is let go. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Aborted, with why, when it is to end although it is only being started. */
  get abandoned(): AbortSignal {
    return this.#abandoned.signal;
  }

  abandonStart(why: string): void {
    if (this.record.state === 'starting') this.#abandoned.abort(why);
  }

  touch(): void {
    this.lastActiveMs = Date.now();
  }

  change(record: SessionRecord): void {
    this.record = record;
    this.#tellChange();
  }

  letGo(): void {
    this.#isLive = false;
    this.#tellChange();
  }

  get takesActions(): boolean {
    return this.isRunning && !this.isEnding;
  }

  refuseUnlessRunning(): void {
    if (!this.takesActions) throw notRunning(this.id, this.isEnding ? 'stopping' : this.record.state);
  }

  #tellChange(): void {
    this.lastChangeMs = Date.now();
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

export function notRunning(id: string, state: string): GatewayError {
  const isPassing = state === 'starting' || state === 'stopping';
  const remedy = isPassing ? 'try again in a moment' : `POST /api/sessions/${id}/resume first`;
  return new GatewayError('wrong-state', `The session is ${state}; ${remedy}. Nothing was executed.`);
}
