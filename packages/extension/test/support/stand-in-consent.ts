import type { Consent, RunRequest } from '../../src/consent/consent.ts';

type RunAnswer = Awaited<ReturnType<Consent['run']>>;

/** The user: allows everything, or is asked and answers when the test says so. */
export class StandInConsent implements Consent {
  isAsking = false;
  /** The commands that wait for an answer. */
  readonly waiting: string[] = [];
  /** All that was asked or allowed. */
  readonly seen: string[] = [];
  /** The same, with all that is told of it. */
  readonly requests: RunRequest[] = [];
  #answer: ((answer: RunAnswer) => void) | undefined;

  readonly run: Consent['run'] = async (scope, request) => {
    const { command } = request;
    this.seen.push(command);
    this.requests.push(request);
    if (!this.isAsking) return { kind: 'allowed', command, isChanged: false };
    this.waiting.push(command);
    return new Promise((resolve) => {
      this.#answer = resolve;
      scope.signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
    });
  };

  readonly edit: Consent['edit'] = async (_scope, { after }) => {
    return { kind: 'allowed', text: after, isChanged: false };
  };

  readonly ask: Consent['ask'] = async () => ({ kind: 'allowed' });

  /** Nobody is asked any more, and nobody hears of it. */
  withdraw(): void {
    this.waiting.length = 0;
    this.#answer = undefined;
  }

  answer(answer: RunAnswer): void {
    this.waiting.shift();
    this.#answer?.(answer);
  }
}
