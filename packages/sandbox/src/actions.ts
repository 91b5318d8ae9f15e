import type { Executor } from '@fairlead/executor';
import type { Action } from '@fairlead/protocol';
import { errorAnswer, unknownOutcome, unrecordedAnswer, withdrawn } from './error-answer.ts';
import type { EventStream } from './journal/event-stream.ts';
import type { Journal, JournalEntry } from './journal/journal.ts';
import type { RetryMark } from './journal/journal-line.ts';

export interface ActionRequest {
  actionId: string;
  action: Action;
  /** The event as the client sent it. */
  event: Record<string, unknown>;
  retry: RetryMark | undefined;
}

export interface RunningAction {
  actionId: string;
  action: string;
  shell: string;
  startedAt: string;
}

interface Running extends RunningAction {
  abort: AbortController;
  observationJson: Promise<string>;
}

/** The action cannot be recorded, so a retry could not be answered from the record. Nothing was executed. */
export class NotRecordedError extends Error {}

/** Runs actions and keeps their record. Answers are JSON text, made once for the record and the wire. */
export class Actions {
  readonly #executor: Executor;
  readonly #journal: Journal;
  readonly #events: EventStream;
  readonly #log: (line: string) => void;
  readonly #running = new Map<string, Running>();
  #lastStartMs = Date.now();
  #hasWarned = false;
  #isDraining = false;

  constructor(executor: Executor, journal: Journal, events: EventStream, log: (line: string) => void) {
    this.#executor = executor;
    this.#journal = journal;
    this.#events = events;
    this.#log = log;
  }

  /** No new actions: the server is about to end. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  get idleSeconds(): number {
    return (Date.now() - this.#lastStartMs) / 1000;
  }

  /** Undefined for a key that is new; else the action it stands for and its answer, now or when it is there. */
  earlier(key: string): { actionId: string; retry: RetryMark; observationJson: Promise<string> } | undefined {
    const entry = this.#journal.findByKey(key);
    if (entry?.retry === undefined) return undefined;
    const { actionId, retry } = entry;
    return { actionId, retry, observationJson: this.#observationOf(entry) };
  }

  isKnown(actionId: string): boolean {
    return this.#running.has(actionId) || this.#journal.find(actionId) !== undefined;
  }

  run(request: ActionRequest): Promise<string> {
    const { actionId, action, event, retry } = request;
    this.#lastStartMs = Date.now();
    const abort = new AbortController();
    const execute = () => this.#executor.execute(action, { actionId, signal: abort.signal });
    // Who can retry must find the record, whatever happens. Nobody else waits for it: the shell works meanwhile.
    const started = retry === undefined ? execute() : undefined;
    const entry = this.#recordAction(request);
    const observation = started ?? execute();
    return this.#follow({ actionId, shell: action.shell, entry, event, abort, observation });
  }

  /** Answers for an action that got lost on its way here; with the record it cannot be run by a late request. */
  withdraw({ actionId, action, event, retry }: ActionRequest & { retry: RetryMark }): Promise<string> {
    const marked = { ...retry, isWithdrawn: true } as const;
    const entry = this.#recordAction({ actionId, action, event, retry: marked });
    const observation = errorAnswer(event, withdrawn);
    return this.#follow({
      actionId,
      shell: action.shell,
      entry,
      event,
      abort: new AbortController(),
      observation,
    });
  }

  /** False when no action of that id is running. */
  cancel(actionId: string): boolean {
    const running = this.#running.get(actionId);
    running?.abort.abort();
    return running !== undefined;
  }

  list(): RunningAction[] {
    return [...this.#running.values()].map(({ actionId, action, shell, startedAt }) => {
      return { actionId, action, shell, startedAt };
    });
  }

  /** Takes up what an earlier process left: found again and followed, or told as unknown. Never run again. */
  resumeUnfinished(): void {
    for (const entry of this.#journal.unfinished()) {
      const { actionId, shell, timeoutSeconds } = entry;
      const event = entry.action === undefined ? {} : parseEvent(this.#journal.eventJson(entry.action));
      const abort = new AbortController();
      const observation = entry.retry?.isWithdrawn
        ? errorAnswer(event, withdrawn)
        : (this.#executor.resume(actionId, { actionId, signal: abort.signal }, timeoutSeconds) ??
          errorAnswer(event, unknownOutcome));
      void this.#follow({ actionId, shell, entry, event, abort, observation });
    }
  }

  /** Cancels what runs and waits for the answers, at most this long. */
  async drain(timeoutMs: number): Promise<void> {
    this.#isDraining = true;
    const answers = [...this.#running.values()].map(({ observationJson }) => observationJson);
    for (const { abort } of this.#running.values()) abort.abort();
    if (answers.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise((resolve) => (timer = setTimeout(resolve, timeoutMs)));
    await Promise.race([Promise.allSettled(answers), deadline]);
    clearTimeout(timer);
  }

  #follow(started: {
    actionId: string;
    shell: string;
    entry: JournalEntry | undefined;
    event: Record<string, unknown>;
    abort: AbortController;
    observation: Promise<unknown>;
  }): Promise<string> {
    const { actionId, shell, entry, event, abort } = started;
    const observationJson = started.observation
      .catch((error: Error) => {
        this.#log(`action ${actionId} failed: ${error.message}`);
        return errorAnswer(event, `ERROR: The action failed inside the server: ${error.message}`);
      })
      .then((observation) => {
        const json = JSON.stringify(observation);
        this.#running.delete(actionId);
        if (entry?.retry !== undefined) this.#recordObservation(entry, shell, json);
        else setImmediate(() => this.#recordObservation(entry, shell, json));
        return json;
      });
    const startedAt = new Date().toISOString();
    this.#running.set(actionId, {
      actionId,
      action: String(event['action']),
      shell,
      startedAt,
      abort,
      observationJson,
    });
    return observationJson;
  }

  #observationOf(entry: JournalEntry): Promise<string> {
    const running = this.#running.get(entry.actionId);
    if (running !== undefined) return running.observationJson;
    if (entry.observation !== undefined) return Promise.resolve(this.#journal.eventJson(entry.observation));
    return errorAnswer({}, unrecordedAnswer).then((observation) => JSON.stringify(observation));
  }

  /** A full disk must not take the shell away that could free it: only a retry needs the record. */
  #recordAction({ actionId, action, event, retry }: ActionRequest): JournalEntry | undefined {
    const { shell, timeout: timeoutSeconds } = action;
    try {
      const entry = this.#journal.recordAction(
        { actionId, shell, timeoutSeconds, retry },
        clippedJson(event),
      );
      this.#events.notify();
      return entry;
    } catch (error) {
      this.#warnOnce(error);
      if (retry !== undefined) throw new NotRecordedError((error as Error).message);
      return undefined;
    }
  }

  #recordObservation(entry: JournalEntry | undefined, shell: string, json: string): void {
    this.#events.endOutput(shell);
    if (entry === undefined) return;
    try {
      this.#journal.recordObservation(entry, json);
    } catch (error) {
      this.#warnOnce(error);
    }
    this.#events.notify();
  }

  #warnOnce(error: unknown): void {
    if (!this.#hasWarned) this.#log(`the journal cannot be written: ${(error as Error).message}`);
    this.#hasWarned = true;
  }
}

const longestRecordedText = 256 * 1024;

/** The record of an action is for watchers: a long file text in it is cut. Answers are kept whole. */
function clippedJson(event: Record<string, unknown>): string {
  return JSON.stringify(event, (_key, value: unknown) => {
    if (typeof value !== 'string' || value.length <= longestRecordedText) return value;
    const left = value.length - longestRecordedText;
    return `${value.slice(0, longestRecordedText)}[... ${left} more characters are not recorded]`;
  });
}

function parseEvent(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}
