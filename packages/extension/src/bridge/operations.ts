import { randomUUID } from 'node:crypto';
import {
  answerWithinMs,
  decodeEditorRequest,
  operationEvents,
  type StartedOperation,
  startedOperation,
  type SubmittedOperation,
  updatedOperation,
} from '@fairlead/protocol';
import { bounded } from '../requests/bounded.ts';
import type { Submitted } from '../requests/questions/questions.ts';
import { asRequestError, RequestError } from '../requests/request-error.ts';
import type { Call, Handle } from './answer.ts';
import { lambdaCall, operationText } from './operation-text.ts';
import { RecentOf } from './recent-of.ts';
import type { BridgeRun } from './runs.ts';

/** Whose operations these are: one connection, or one debug session. */
export interface OperationCaller {
  run: BridgeRun;
  callerId: string;
  tell(submitted: SubmittedOperation): void;
}

export interface OperationsParts {
  /** As for every other request of a program: with the user's consent, and in the record. */
  handle: Handle;
  /** Answers a question in the user's stead. */
  answer(runId: string, questionId: string, typed: string): Submitted;
}

type Outcome = Pick<SubmittedOperation, 'result' | 'error'>;

interface Open {
  operation: StartedOperation;
  caller: OperationCaller;
  questionId: string;
  /** With nothing: nobody waits for it any more. */
  settle(outcome: Outcome | undefined): void;
}

export interface SubmittedByToken {
  submitted: Submitted;
  operationId: string | number;
}

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
    if (data.status !== 'pending')
      for (const { operation, settle } of this.#of(caller.callerId))
        if (operation.operationId === data.operationId) settle(undefined);
    return true;
  }

  /** The result came by HTTP. Undefined: no operation of this run has this token. */
  submit(runId: string, resumeToken: string, result: unknown): SubmittedByToken | undefined {
    for (const { operation, caller, questionId, settle } of this.#open) {
      if (caller.run.id !== runId || operation.resumeToken !== resumeToken) continue;
      const { operationId } = operation;
      const submitted = this.#parts.answer(runId, questionId, JSON.stringify(result ?? null));
      if (submitted !== 'unknown') return { submitted, operationId };
      // The user has not even been asked yet.
      settle(succeeded(result));
      return { submitted: 'accepted', operationId };
    }
    const isConcluded = this.#concluded.has(runId, resumeToken);
    return isConcluded ? { submitted: 'answered-already', operationId: resumeToken } : undefined;
  }

  /** Nobody waits there any more. */
  leave(callerId: string): void {
    for (const { settle } of this.#of(callerId)) settle(undefined);
    this.#known.forget(callerId);
  }

  endRun(runId: string): void {
    this.#concluded.forget(runId);
  }

  /** For the end of the extension host: programs that leave work to a window do not find it again after. */
  close(): void {
    for (const { settle } of this.#open) settle(undefined);
  }

  async #begin(operation: StartedOperation, caller: OperationCaller): Promise<void> {
    const { run, callerId } = caller;
    const { operationId, operationType, resumeToken = null } = operation;
    // It goes on in the program itself, and was only told of.
    if (operationType === 'async_result' || this.#known.has(callerId, operationId)) return;
    this.#known.add(callerId, operationId);
    const tell = (outcome: Outcome) => caller.tell({ operationId, resumeToken, ...outcome });
    if (this.#of(callerId).length >= mostOpen)
      return tell(failed(`There are ${mostOpen} operations waiting; wait for some.`));
    const { promise, resolve: settle } = Promise.withResolvers<Outcome | undefined>();
    const controller = new AbortController();
    const open: Open = { operation, caller, questionId: randomUUID(), settle };
    this.#open.add(open);
    void this.#outcome(open, controller.signal).then(settle);
    const outcome = await promise;
    controller.abort();
    this.#open.delete(open);
    if (resumeToken !== null) this.#concluded.add(run.id, resumeToken);
    if (outcome !== undefined) tell(outcome);
  }

  async #outcome({ operation, caller, questionId }: Open, signal: AbortSignal): Promise<Outcome> {
    const isLambda = operation.operationType === 'lambda';
    try {
      const result = isLambda
        ? await this.#command(operation, caller, signal)
        : await this.#ask(operation, questionId, caller, signal);
      return result === undefined ? failed('cancelled') : succeeded(result);
    } catch (error) {
      return failed(asRequestError(error).message);
    }
  }

  /** What a program calls a lambda is a command of VS Code here: one of those that the user allows to be run. */
  async #command(
    operation: StartedOperation,
    caller: OperationCaller,
    signal: AbortSignal,
  ): Promise<unknown> {
    const params = lambdaCall(operation);
    const deadlineMs = performance.now() + answerWithinMs(operation.timeoutMs ?? Infinity);
    const { result } = await bounded({ deadlineMs, signal }, (ended) =>
      this.#do('vscode/executeCommand', params, { ...caller, signal: ended, deadlineMs }),
    );
    return result ?? null;
  }

  /** Undefined when the user dismissed it. */
  async #ask(
    operation: StartedOperation,
    questionId: string,
    caller: OperationCaller,
    signal: AbortSignal,
  ): Promise<unknown> {
    const params = {
      questionId,
      message: operationText(operation),
      placeholder: 'JSON or text',
      timeout: operation.timeoutMs ?? undefined,
    };
    const { answer } = await this.#do('vscode/ask', params, { ...caller, signal, deadlineMs: Infinity });
    return typeof answer === 'string' ? jsonOrText(answer) : undefined;
  }

  async #do(
    type: string,
    params: Record<string, unknown>,
    { run, callerId, signal, deadlineMs }: Omit<Call, 'onPart'>,
  ): Promise<Record<string, unknown>> {
    const decoded = decodeEditorRequest(type, params);
    if (!decoded.ok) throw new RequestError(decoded.code, decoded.message);
    const call: Call = { run, callerId, signal, deadlineMs, onPart: () => undefined };
    return this.#parts.handle(decoded.request, call);
  }

  #of(callerId: string): Open[] {
    return [...this.#open].filter(({ caller }) => caller.callerId === callerId);
  }
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
