import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, GatewayApi } from './gateway-api.ts';
import type { Random } from './random.ts';

/** One action of a client, and what it was told about it in the end. */
export interface SentAction {
  sessionId: string;
  /** Its idempotency key, and the line that it adds to the file. */
  line: string;
  command: string;
  body: string;
  /** Undefined also when the client did not ask again. */
  answer: Answer | undefined;
  isForgotten: boolean;
  tookMs: number;
}

export interface LoadClientOptions {
  api: GatewayApi;
  random: Random;
  sessionId: string;
  shell: string;
  /** Unique among all clients. */
  name: string;
}

/** Where the actions leave their traces, inside the sandbox. */
export const linesFile = 'lines';

const answerLimitMs = 90_000;
/** That it does not wait for an answer but asks again, and that it never does. */
const abandonProbability = 0.1;
const forgetProbability = 0.1;
/** The session does not run, or was hit while it was being started. */
const triedLater = new Set([502, 503]);

/**
 * Sends actions one after the other, each with an effect that can be counted. Sends one again, with its key, until it is
 * answered; sometimes it does not wait for the answer but asks anew, or forgets about it.
 */
export class LoadClient {
  readonly sent: SentAction[] = [];
  readonly complaints: string[] = [];
  readonly #options: LoadClientOptions;
  #isStopping = false;

  constructor(options: LoadClientOptions) {
    this.#options = options;
  }

  get answered(): number {
    return this.sent.filter(({ answer }) => answer !== undefined).length;
  }

  async run(): Promise<void> {
    const { name, sessionId } = this.#options;
    while (!this.#isStopping) {
      const action = this.#newAction(sessionId, `${name}-${this.sent.length}`);
      this.sent.push(action);
      const problem = await this.#follow(action);
      if (problem === undefined) continue;
      this.complaints.push(`${sessionId} ${action.line}: ${problem}`);
      return;
    }
  }

  /** Ends behind the answer that it waits for. */
  stop(): void {
    this.#isStopping = true;
  }

  /** The effect comes at once, or before or after a while in which the action can be hit. */
  #newAction(sessionId: string, line: string): SentAction {
    const { random, shell } = this.#options;
    const effect = `echo ${line} >>/workspace/${linesFile}`;
    const pause = `sleep ${random.between(0.02, 0.3).toFixed(3)}`;
    const command = random.pick([effect, `${pause}; ${effect}`, `${effect}; ${pause}`]);
    const body = JSON.stringify({ action: { action: 'run', args: { command }, shell, timeout: 60 } });
    const isForgotten = random.isTrue(forgetProbability);
    return { sessionId, line, command, body, answer: undefined, isForgotten, tookMs: 0 };
  }

  async #follow(action: SentAction): Promise<string | undefined> {
    const startedAt = performance.now();
    for (;;) {
      const answer = await this.#attempt(action);
      if (answer?.status === 200) {
        action.answer = answer;
        action.tookMs = performance.now() - startedAt;
        return undefined;
      }
      if (action.isForgotten) return undefined;
      if (answer !== undefined && !triedLater.has(answer.status)) return `${answer.status} ${answer.text}`;
      if (performance.now() - startedAt > answerLimitMs) {
        return `there was no answer within ${answerLimitMs} ms, at last: ${answer?.text ?? 'no connection'}`;
      }
      if (answer !== undefined) {
        const problem = await this.#resume().catch(() => undefined);
        if (problem !== undefined) return problem;
      }
      await delay(this.#options.random.between(5, 50));
    }
  }

  /** Undefined when the connection broke, or was given up. */
  async #attempt({ sessionId, line, body, isForgotten }: SentAction): Promise<Answer | undefined> {
    const { api, random } = this.#options;
    const patience =
      isForgotten || random.isTrue(abandonProbability)
        ? AbortSignal.timeout(Math.ceil(random.between(1, 200)))
        : undefined;
    return api.act(sessionId, body, { 'idempotency-key': line }, patience).catch(() => undefined);
  }

  /** A session that ended says why, and is there again when it is asked for. */
  async #resume(): Promise<string | undefined> {
    const { api, sessionId } = this.#options;
    const { state, reason } = await api.session(sessionId);
    if (state !== 'stopped' && state !== 'failed') return undefined;
    if (reason === null) return `the session is ${state} without a reason`;
    await api.ask('POST', `/api/sessions/${sessionId}/resume`);
    return undefined;
  }
}
