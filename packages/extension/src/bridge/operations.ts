import { randomUUID } from 'node:crypto';
import {
  answerWithinMs,
  operationEvents,
  type StartedOperation,
  startedOperation,
  type SubmittedOperation,
  updatedOperation,
} from '@fairlead/protocol';
import { bounded } from '../requests/bounded.ts';
import type { Submitted } from '../requests/questions/questions.ts';
import { asRequestError } from '../requests/request-error.ts';
import { lambdaCall, operationText } from './operation-text.ts';
import { RecentOf } from './recent-of.ts';
import type { BridgeRun } from './runs.ts';

/** Whose operations these are: one connection, or one debug session. */
export interface OperationCaller {
  run: BridgeRun;
  callerId: string;
  tell(submitted: SubmittedOperation): void;
}

export interface OperationQuestion {
  questionId: string;
  message: string;
  timeoutMs: number | undefined;
}

/** A function of another extension, by its name. */
export type Lambda = (...args: unknown[]) => unknown;

export interface OperationsParts {
  /** What the user typed, or null when they dismissed it. */
  ask(question: OperationQuestion, caller: OperationCaller, signal: AbortSignal): Promise<string | null>;
  /** Answers such a question in the user's stead. */
  answer(runId: string, questionId: string, typed: string): Submitted;
  lambda(name: string): Lambda | undefined;
}

interface Open {
  operation: StartedOperation;
  caller: OperationCaller;
  questionId: string;
  controller: AbortController;
}

type Outcome = Pick<SubmittedOperation, 'result' | 'error'>;

const mostOpen = 1000;
const mostRemembered = 1000;

/** The operations that wait for their result. Each result goes to the one who waits for it, and to nobody else. */
export class Operations {
  readonly #parts: OperationsParts;
  readonly #open = new Set<Open>();
  /** By caller: programs tell of the same operation more than once. */
  readonly #known = new RecentOf<string | number>(mostRemembered);
  /** By run: the resume tokens that are used up. */
  readonly #concluded = new RecentOf<string>(mostRemembered);

  constructor(parts: OperationsParts) {
    this.#parts = parts;
  }

  /** False: this is no event of an operation. */
  receive(event: unknown, body: unknown, caller: OperationCaller): boolean {
    if (event === operationEvents.started) {
      const { success, data } = startedOperation.safeParse(body);
      if (success) void this.#begin(data, caller);
      return success;
    }
    const { success, data } = updatedOperation.safeParse(body);
    if (event !== operationEvents.updated || !success) return false;
    if (data.status !== 'pending') this.#find(caller, data.operationId)?.controller.abort();
    return true;
  }

  /** The result came by HTTP. Undefined: no operation of this run has this token. */
  submit(runId: string, resumeToken: string, result: unknown): SubmittedByToken | undefined {
    for (const { operation, caller, questionId } of this.#open) {
      if (caller.run.id !== runId || operation.resumeToken !== resumeToken) continue;
      const submitted = this.#parts.answer(runId, questionId, JSON.stringify(result ?? null));
      return { submitted, operationId: operation.operationId };
    }
    const isConcluded = this.#concluded.has(runId, resumeToken);
    return isConcluded ? { submitted: 'answered-already', operationId: resumeToken } : undefined;
  }

  /** Nobody waits there any more. */
  leave(callerId: string): void {
    for (const { caller, controller } of this.#open) if (caller.callerId === callerId) controller.abort();
    this.#known.forget(callerId);
  }

  endRun(runId: string): void {
    this.#concluded.forget(runId);
  }

  async #begin(operation: StartedOperation, caller: OperationCaller): Promise<void> {
    const { operationId, operationType, resumeToken = null } = operation;
    // It goes on in the program itself, and was only told of.
    if (operationType === 'async_result' || this.#known.has(caller.callerId, operationId)) return;
    this.#known.add(caller.callerId, operationId);
    const tell = (outcome: Outcome) => caller.tell({ operationId, resumeToken, ...outcome });
    if (this.#open.size >= mostOpen)
      return tell(failed(`There are ${mostOpen} operations waiting; wait for some.`));
    const open = { operation, caller, questionId: randomUUID(), controller: new AbortController() };
    this.#open.add(open);
    const outcome = await this.#outcome(open);
    this.#open.delete(open);
    if (open.controller.signal.aborted) return;
    if (resumeToken !== null) this.#concluded.add(caller.run.id, resumeToken);
    tell(outcome);
  }

  async #outcome({ operation, caller, questionId, controller }: Open): Promise<Outcome> {
    try {
      if (operation.operationType === 'lambda')
        return succeeded(await this.#run(operation, controller.signal));
      const question = {
        questionId,
        message: operationText(operation),
        timeoutMs: operation.timeoutMs ?? undefined,
      };
      const typed = await this.#parts.ask(question, caller, controller.signal);
      return typed === null ? failed('cancelled') : succeeded(jsonOrText(typed));
    } catch (error) {
      return failed(asRequestError(error).message);
    }
  }

  async #run(operation: StartedOperation, signal: AbortSignal): Promise<unknown> {
    const { name, args } = lambdaCall(operation);
    const lambda = this.#parts.lambda(name);
    if (lambda === undefined) throw new Error(`Unknown lambda handler: ${name || 'unknown'}`);
    const deadlineMs = performance.now() + answerWithinMs(operation.timeoutMs ?? Infinity);
    return bounded({ deadlineMs, signal }, async () => lambda(...args));
  }

  #find(caller: OperationCaller, operationId: string | number): Open | undefined {
    for (const open of this.#open)
      if (open.caller.callerId === caller.callerId && open.operation.operationId === operationId) return open;
    return undefined;
  }
}

export interface SubmittedByToken {
  submitted: Submitted;
  operationId: string | number;
}

function succeeded(result: unknown): Outcome {
  return { result: result ?? null, error: null };
}

function failed(error: string): Outcome {
  return { result: null, error };
}

/** `{"approved": true}` is what it says; `yes` is a text. */
function jsonOrText(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
