import type { IncomingMessage } from 'node:http';
import { type Place, placeLabel } from '../proxy/places.ts';
import { proofOf } from '../proxy/recent-admissions.ts';

const lookEveryMs = 3_000;

export interface OpenVisit {
  request: IncomingMessage;
  place: Place;
  end(): void;
}

/** What is open between browsers and sessions. It ends when its visitor would not be let in any more. */
export class OpenVisits {
  readonly #open = new Set<OpenVisit>();
  readonly #mayStay: (visit: OpenVisit) => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;

  /** `mayStay` is asked every few seconds, once for all that show the same for themselves. */
  constructor(mayStay: (visit: OpenVisit) => Promise<boolean>) {
    this.#mayStay = mayStay;
  }

  async during<Value>(visit: OpenVisit, passing: Promise<Value>): Promise<Value> {
    this.#open.add(visit);
    this.#timer ??= setInterval(() => void this.#lookAround(), lookEveryMs).unref();
    try {
      return await passing;
    } finally {
      this.#open.delete(visit);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    for (const visit of this.#open) visit.end();
  }

  async #lookAround(): Promise<void> {
    const answers = new Map<string, boolean>();
    for (const visit of this.#open) {
      const { place, request } = visit;
      const proof = proofOf(`${place.sessionId}-${placeLabel(place)}`, request.headers);
      // What cannot be looked up now is looked up the next time.
      const mayStay = answers.get(proof) ?? (await this.#mayStay(visit).catch(() => true));
      answers.set(proof, mayStay);
      if (!mayStay) visit.end();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
