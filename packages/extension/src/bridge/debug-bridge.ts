import {
  debugBridge,
  debugRequest,
  operationEvents,
  type RequestId,
  type SubmittedOperation,
} from '@fairlead/protocol';
import { answer, type Handle, olderForm } from './answer.ts';
import type { Operations } from './operations.ts';
import type { BridgeRun } from './runs.ts';

export interface DebugBridgeParts {
  run: BridgeRun;
  handle: Handle;
  operations: Pick<Operations, 'receive'>;
  /** Sends a request to the debug adapter. */
  request(command: string, args: Record<string, unknown>): Promise<unknown>;
  /** The debug session is over. */
  left(callerId: string): void;
  log(line: string): void;
}

/** The bridge of one debug session: the adapter asks by events, and is answered by requests. */
export class DebugBridge {
  readonly #parts: DebugBridgeParts;
  readonly #pending = new Map<RequestId, AbortController>();
  #isOver = false;

  constructor(parts: DebugBridgeParts) {
    this.#parts = parts;
  }

  /** Every message of the adapter comes by here; all but its questions go on unseen. */
  receive(message: unknown): void {
    if (this.#isOver) return;
    const { type, event, body } = (message ?? {}) as { type?: unknown; event?: unknown; body?: unknown };
    if (type !== 'event') return;
    if (event !== debugBridge.event) return this.#operation(event, body);
    const request = debugRequest.safeParse(body);
    if (!request.success)
      return this.#parts.log(`A debug adapter sent no valid ${debugBridge.event}: ${request.error.message}`);
    const { requestId } = request.data;
    if (request.data.type === '$/cancel') return this.#pending.get(requestId)?.abort();
    void this.#answer(request.data);
  }

  end(): void {
    this.#isOver = true;
    for (const controller of this.#pending.values()) controller.abort();
    this.#parts.left(this.#parts.run.id);
  }

  async #answer({
    requestId,
    type,
    params,
    protocolVersion,
  }: ReturnType<typeof debugRequest.parse>): Promise<void> {
    const { run, handle } = this.#parts;
    const controller = new AbortController();
    this.#pending.set(requestId, controller);
    let parts = 0;
    const onPart = (text: string) => {
      if (protocolVersion === undefined) return;
      void this.#send(debugBridge.part, { requestId, index: parts++, text });
    };
    const call = { run, callerId: run.id, signal: controller.signal, onPart };
    const reply = await answer(handle, { id: requestId, type, params }, call);
    if (this.#pending.get(requestId) === controller) this.#pending.delete(requestId);
    const { id, ...answered } = protocolVersion === undefined ? olderForm(reply, params) : reply;
    await this.#send(debugBridge.answer, { requestId: id, ...answered });
  }

  #operation(event: unknown, body: unknown): void {
    const { run, operations, log } = this.#parts;
    const tell = (submitted: SubmittedOperation) => void this.#send(operationEvents.submit, { ...submitted });
    if (!operations.receive(event, body, { run, callerId: run.id, tell }) && isOperationEvent(event))
      log(`A debug adapter sent no valid ${event}`);
  }

  /** The session may have ended meanwhile. */
  async #send(command: string, args: Record<string, unknown>): Promise<void> {
    await this.#parts.request(command, args).catch((error: unknown) => {
      this.#parts.log(`The debug adapter did not take ${command}: ${String(error)}`);
    });
  }
}

function isOperationEvent(event: unknown): event is string {
  return event === operationEvents.started || event === operationEvents.updated;
}
