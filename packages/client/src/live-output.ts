import { type Observation, observationSchema, type SessionEvent } from '@fairlead/protocol';
import { FairleadError } from './fairlead-error.ts';
import { checkAnswer, type Connection } from './http.ts';
import { watchSession } from './watch.ts';

/** How long the watch may be quiet when the answer is there and the last output is not. */
const graceMs = 5_000;
/** How long a watch may take to reach the present; it starts there, so there is nothing to catch up with. */
const openLimitMs = 20_000;

export interface Followed {
  /** Undefined when the watch ended before it. */
  observation: Observation | undefined;
  isComplete: boolean;
}

/** The output of one action, from a watch that reached the present before the action was sent. */
export class LiveOutput {
  readonly #actionId: string;
  readonly #stop = new AbortController();
  readonly #events: AsyncGenerator<SessionEvent>;
  #isAnswered = false;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;

  private constructor(connection: Connection, session: string, actionId: string) {
    this.#actionId = actionId;
    this.#events = watchSession(connection, session, { signal: this.#stop.signal });
  }

  /** Nothing that is printed from then on is missed. */
  static async open(connection: Connection, session: string, actionId: string): Promise<LiveOutput> {
    const live = new LiveOutput(connection, session, actionId);
    const limit = setTimeout(() => live.close(), openLimitMs);
    try {
      for await (const event of unclosed(live.#events)) if (event.type === 'live') return live;
    } finally {
      clearTimeout(limit);
    }
    throw new FairleadError(
      'unavailable',
      `The gateway did not begin to tell what happens in ${session}; try again`,
    );
  }

  /** Until the action's observation, which stands behind all its output. */
  async follow(onOutput: (data: string) => void | Promise<void>): Promise<Followed> {
    let isComplete = true;
    try {
      for await (const event of this.#events) {
        if (this.#stop.signal.aborted) break;
        if (event.type === 'lost-output') isComplete = false;
        if (!('actionId' in event) || event.actionId !== this.#actionId) continue;
        clearTimeout(this.#graceTimer);
        if (event.type === 'output') await onOutput(event.data);
        if (event.type === 'observation') {
          return { observation: checkAnswer(observationSchema, event.event, 'an action'), isComplete };
        }
        if (this.#isAnswered) this.answered();
      }
    } catch (error) {
      // The answer to the action itself may still come.
      if (!(error instanceof FairleadError)) throw error;
    }
    return { observation: undefined, isComplete: false };
  }

  /** The answer is there: what is still to come must come soon. */
  answered(): void {
    this.#isAnswered = true;
    clearTimeout(this.#graceTimer);
    this.#graceTimer = setTimeout(() => this.close(), graceMs);
  }

  close(): void {
    clearTimeout(this.#graceTimer);
    this.#stop.abort();
  }
}

/** Iterates without closing it at the end. */
function unclosed<Value>(values: AsyncGenerator<Value>): AsyncIterable<Value> {
  return { [Symbol.asyncIterator]: () => ({ next: () => values.next() }) };
}
