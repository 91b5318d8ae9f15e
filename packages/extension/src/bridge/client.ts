import {
  operationEvents,
  operationFrame,
  type ReplyFrame,
  type RequestFrame,
  requestFrame,
  type RequestId,
  type SubmittedOperation,
} from '@fairlead/protocol';
import { describeIssues } from '@fairlead/protocol/describe-issues';
import { answer, type Call, type Handle, olderForm } from './answer.ts';
import type { Operations } from './operations.ts';
import { Replies } from './replies.ts';

/** What is in work for one client. */
interface Pending {
  id: RequestId;
  controller: AbortController;
  parts: string[];
}

export interface ClientOptions {
  run: Call['run'];
  callerId: string;
  handle: Handle;
  operations: Pick<Operations, 'receive'>;
  /** A client with an id of its own may come back; any other is one connection, and speaks the first version. */
  mayComeBack: boolean;
  /** Nothing is asked any more, and nobody listens. */
  gone(): void;
}

const mostRequests = 1000;
/** Longer than our clients try to come back. */
const graceMs = 75_000;

/** One program on the bridge: its requests, and the replies that it has not acknowledged. */
export class BridgeClient {
  readonly #options: ClientOptions;
  readonly #pending = new Set<Pending>();
  readonly #replies = new Replies();
  #send: ((frame: object | string) => void) | undefined;
  #leaving: NodeJS.Timeout | undefined;
  #isGone = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get runId(): string {
    return this.#options.run.id;
  }

  /** A connection of this client; the one before it is not used any more. */
  connect(send: (frame: object | string) => void): void {
    clearTimeout(this.#leaving);
    this.#send = send;
    for (const reply of this.#replies.kept()) send(reply);
    for (const { id, parts } of this.#pending)
      for (const [index, text] of parts.entries()) send({ id, type: '$/part', index, text });
  }

  /** `isFinal`: the client said that it will not come back. */
  disconnect(send: (frame: object | string) => void, isFinal: boolean): void {
    if (this.#send !== send || this.#isGone) return;
    this.#send = undefined;
    if (isFinal || !this.#options.mayComeBack) this.end();
    else this.#leaving = setTimeout(() => this.end(), graceMs);
  }

  receive(frame: unknown): void {
    if (this.#isGone) return;
    // All frames have this form. To try one schema after the other would take longer than the rest of a short request.
    const request = requestFrame.safeParse(frame);
    if (request.success) {
      const { id, type } = request.data;
      if (type === '$/cancel') return this.#cancel(id);
      if (type === '$/ack') return this.#replies.acknowledge(id);
      return this.#request(request.data);
    }
    if (!this.#options.mayComeBack && this.#isOperation(frame)) return;
    const { id } = (frame ?? {}) as { id?: unknown };
    const known = typeof id === 'string' || typeof id === 'number' ? id : null;
    const error = `Invalid frame: ${describeIssues(request.error)}. Send {"id", "type", "params"}.`;
    this.#send?.({ id: known, success: false, error, code: 'invalid_frame' } satisfies ReplyFrame);
  }

  /** Its replies will never be asked for; what is in work goes on, and may be asked for again elsewhere. */
  abandon(): void {
    this.#isGone = true;
    clearTimeout(this.#leaving);
  }

  /** Cancels what is in work. */
  end(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#leaving);
    for (const { controller } of this.#pending) controller.abort();
    this.#options.gone();
  }

  #request(frame: RequestFrame): void {
    const { id, type } = frame;
    const { mayComeBack } = this.#options;
    if (mayComeBack) {
      const reply = this.#replies.of(id);
      if (reply !== undefined) return this.#send?.(reply);
      if (this.#find(id) !== undefined) return;
      if (this.#replies.wasAcknowledged(id))
        return this.#refuse(id, 'duplicate_id', `The id ${id} was answered before; use a new one.`);
      if (this.#replies.wasDropped(id))
        return this.#refuse(id, 'failed', `${type} was done, and is not done again. ${notKept}`);
    }
    if (this.#pending.size >= mostRequests)
      return this.#refuse(
        id,
        'too_many_requests',
        `There are ${mostRequests} requests at work; wait for some.`,
      );
    void this.#work(frame);
  }

  async #work(frame: RequestFrame): Promise<void> {
    const { run, callerId, handle, mayComeBack } = this.#options;
    const { id, params } = frame;
    const pending: Pending = { id, controller: new AbortController(), parts: [] };
    this.#pending.add(pending);
    const { signal } = pending.controller;
    const onPart = (text: string) => this.#part(pending, text);
    const reply = await answer(handle, frame, { run, callerId, signal, onPart });
    this.#pending.delete(pending);
    if (this.#isGone) return;
    const text = JSON.stringify(mayComeBack ? reply : olderForm(reply, params));
    if (mayComeBack) this.#replies.keep(id, text);
    this.#send?.(text);
  }

  /** Programs of the first version tell of these without an id. Others ask, and can fetch the answer when they are back. */
  #isOperation(frame: unknown): boolean {
    const event = operationFrame.safeParse(frame);
    if (!event.success) return false;
    const { run, callerId, operations } = this.#options;
    const tell = (body: SubmittedOperation) =>
      this.#send?.({ type: 'dapEvent', event: operationEvents.submit, body });
    return operations.receive(event.data.event, event.data.body, { run, callerId, tell });
  }

  #part(pending: Pending, text: string): void {
    if (!this.#pending.has(pending)) return;
    const index = pending.parts.push(text) - 1;
    this.#send?.({ id: pending.id, type: '$/part', index, text });
  }

  #cancel(id: RequestId): void {
    this.#find(id)?.controller.abort();
  }

  #find(id: RequestId): Pending | undefined {
    for (const pending of this.#pending) if (pending.id === id) return pending;
    return undefined;
  }

  #refuse(id: RequestId, code: 'duplicate_id' | 'too_many_requests' | 'failed', error: string): void {
    this.#send?.({ id, success: false, error, code } satisfies ReplyFrame);
  }
}

const notKept = 'Its reply was too large to be kept until the program was connected again.';
