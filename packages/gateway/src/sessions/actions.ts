import { setTimeout as delay } from 'node:timers/promises';
import { defaultShell } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';
import { errorAnswer } from '../runtime/error-answer.ts';
import { ConnectionLost } from '../runtime/runtime.ts';
import type { ActionRecord, JournalStore } from '../store/store.ts';
import { watchDeadline } from './deadline.ts';
import { newActionId } from './ids.ts';
import type { LiveSession, Outcome } from './live-session.ts';
import type { ActionAnswer, ActionRequest } from './sessions-api.ts';
import { stored } from './faults.ts';

/** Before an action whose connection broke twice is asked for again. */
const pauseMs = 50;

type Event = Record<string, unknown>;

interface Handed {
  actionId: string;
  event: Event;
  /** An earlier gateway, or an earlier attempt, may have handed it over. */
  mayHaveArrived: boolean;
}

export interface ActionsOptions {
  journal: JournalStore;
  /** True when the runtime is there again; false when the session has ended. */
  recover(session: LiveSession): Promise<boolean>;
  log(line: string): void;
}

/**
 * Runs each action once: it is recorded before the runtime hears of it, and whoever sends it again gets the same
 * observation. What cannot be found out is told as unknown.
 */
export class Actions {
  readonly #options: ActionsOptions;

  constructor(options: ActionsOptions) {
    this.#options = options;
  }

  async execute(session: LiveSession, request: ActionRequest): Promise<ActionAnswer> {
    const { event, bodyHash, idempotencyKey = null } = request;
    const actionId = request.actionId ?? newActionId();
    const action = {
      sessionId: session.id,
      actionId,
      idempotencyKey,
      bodyHash,
      shell: typeof event['shell'] === 'string' ? event['shell'] : defaultShell,
      time: new Date().toISOString(),
      eventJson: JSON.stringify(event),
    };
    // One at a time, so that who finds an action recorded also finds it running.
    const arrival = await session.arrivals.take(async () => {
      if (!session.takesActions) {
        const known = await this.recall(session.id, request);
        if (known !== undefined) return { kind: 'known', action: known } as const;
      }
      session.refuseUnlessRunning();
      session.touch();
      const begun = await stored(this.#options.journal.beginAction(action), 'nothing was executed');
      if (begun.kind === 'known') return begun;
      session.hub.recorded(begun.seq);
      const answer = this.#follow(session, { actionId, event, mayHaveArrived: false });
      return { kind: 'begun', answer } as const;
    });
    if (arrival.kind === 'known') return this.#again(session, request, arrival.action);
    return { actionId, observationJson: await arrival.answer, isReplay: false };
  }

  /** What the journal has of an action that comes again; undefined when it is new. */
  async recall(sessionId: string, request: ActionRequest): Promise<ActionRecord | undefined> {
    if (request.idempotencyKey === undefined) return undefined;
    const known = await this.#options.journal.findByKey(sessionId, request.idempotencyKey);
    if (known !== undefined) checkSame(known, request);
    return known;
  }

  /** Finds out what became of actions that were handed over before: by an earlier gateway, or when the store failed. */
  async resumeUnfinished(session: LiveSession): Promise<void> {
    await session.arrivals.take(async () => {
      for (const { actionId, eventJson } of await this.#options.journal.unfinished(session.id)) {
        if (session.running.has(actionId)) continue;
        void this.#follow(session, { actionId, event: parseEvent(eventJson), mayHaveArrived: true });
      }
    });
  }

  /** The session has no runtime that could know more. */
  async giveUpUnfinished(session: LiveSession, why: string): Promise<void> {
    for (const { actionId, eventJson } of await this.#options.journal.unfinished(session.id)) {
      const observationJson = unknownOutcome(parseEvent(eventJson), why);
      await this.#finish(session, actionId, { observationJson, isFromRuntime: false });
    }
  }

  async #again(session: LiveSession, request: ActionRequest, known: ActionRecord): Promise<ActionAnswer> {
    checkSame(known, request);
    const { actionId } = known;
    const observationJson =
      known.observationJson ??
      (await (session.running.get(actionId) ??
        this.#follow(session, { actionId, event: request.event, mayHaveArrived: true })));
    return { actionId, observationJson, isReplay: true };
  }

  #follow(session: LiveSession, handed: Handed): Promise<string> {
    const { actionId } = handed;
    const answer = this.#answer(session, handed).finally(() => {
      session.running.delete(actionId);
      session.touch();
    });
    session.running.set(actionId, answer);
    // Who asked for it may have left.
    answer.catch((error: Error) => this.#options.log(`action ${actionId}: ${error.message}`));
    return answer;
  }

  async #answer(session: LiveSession, handed: Handed): Promise<string> {
    const { actionId } = handed;
    const outcome = session.unrecorded.get(actionId) ?? (await this.#handOver(session, handed));
    // Until the store takes it: the sandbox may have no room for it either.
    session.unrecorded.set(actionId, outcome);
    await this.#finish(session, actionId, outcome);
    session.unrecorded.delete(actionId);
    return outcome.observationJson;
  }

  async #handOver(session: LiveSession, handed: Handed): Promise<Outcome> {
    const deadline = watchDeadline(session, handed.event);
    try {
      return await this.#ask(session, handed, deadline.signal);
    } finally {
      deadline.close();
    }
  }

  async #ask(
    session: LiveSession,
    { actionId, event, mayHaveArrived }: Handed,
    overdue: AbortSignal,
  ): Promise<Outcome> {
    const generation = () => session.driver.generation?.(session.id);
    const begunIn = mayHaveArrived ? undefined : generation();
    for (let hasArrived = mayHaveArrived, attempts = 1; ; attempts += 1) {
      // A runtime that remembers all it was handed knows it by its key, and begins it where it never came.
      const isResumed = hasArrived && (begunIn === undefined || begunIn !== generation());
      try {
        const handed = { actionId, event, isResumed, signal: overdue };
        return { observationJson: await session.runtime.execute(handed), isFromRuntime: true };
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        hasArrived ||= error.mayHaveArrived;
      }
      const why = overdue.aborted ? 'it did not answer by its deadline' : await this.#whyOver(session);
      if (why !== undefined) {
        const observationJson = hasArrived ? unknownOutcome(event, why) : notRun(event, why);
        return { observationJson, isFromRuntime: false };
      }
      if (attempts > 1) await delay(pauseMs);
    }
  }

  /** Undefined when the runtime can be asked again. */
  async #whyOver(session: LiveSession): Promise<string | undefined> {
    if (await this.#options.recover(session)) return undefined;
    return session.record.reason ?? 'its session has ended';
  }

  async #finish(
    session: LiveSession,
    actionId: string,
    { observationJson, isFromRuntime }: Outcome,
  ): Promise<void> {
    const time = new Date().toISOString();
    const finishing = this.#options.journal.finishAction({
      sessionId: session.id,
      actionId,
      time,
      observationJson,
    });
    const finished = await stored(
      finishing,
      'the action was executed but its observation is not recorded: the same Idempotency-Key gets it later',
    );
    if (finished === undefined) return;
    if (isFromRuntime) session.hub.recordedObservation(finished.seq, actionId);
    else session.hub.recorded(finished.seq);
  }
}

/** That a request is for an action that is known, not for another under its id or key. */
function checkSame(known: ActionRecord, { idempotencyKey, bodyHash }: ActionRequest): void {
  if (idempotencyKey === undefined || idempotencyKey !== known.idempotencyKey) {
    throw new GatewayError(
      'conflict',
      `X-Action-Id "${known.actionId}" belongs to another action; choose a new one`,
    );
  }
  if (known.bodyHash !== bodyHash) {
    throw new GatewayError(
      'key-reused',
      'This Idempotency-Key was used with a different body; send a new key with a new action. Nothing was executed.',
    );
  }
}

function unknownOutcome(event: Event, why: string): string {
  return errorAnswer(
    event,
    `ERROR: The outcome of this action is unknown: ${why}. It was not run again; ` +
      'look at its effects before you repeat it.',
  );
}

function notRun(event: Event, why: string): string {
  return errorAnswer(
    event,
    `ERROR: This action was not run and will not be run: ${why}. Send it as a new action if it is still wanted.`,
  );
}

function parseEvent(json: string): Event {
  return JSON.parse(json) as Event;
}
