import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { partFrame, replyFrame } from '@fairlead/protocol';
import {
  badReply,
  BridgeError,
  closedHere,
  lost,
  notBack,
  timedOut,
  unknownOutcome,
  unreachable,
} from './bridge-error.ts';
import type { BridgeEndpoint } from './endpoint.ts';
import { finalLoss, greet, type Greeted } from './greet.ts';

export interface BridgeRequest {
  type: string;
  params: Record<string, unknown>;
  /** How long the caller waits; as long as it takes when absent. */
  timeoutMs?: number | undefined;
  /** Whether a window that was reloaded, and may have done it before, can be asked once more. */
  isRepeatable: boolean;
  signal?: AbortSignal | undefined;
  onPart?: ((text: string) => void) | undefined;
}

interface Call {
  id: number;
  text: string;
  request: BridgeRequest;
  /** The window it was sent to. */
  serverId: string | undefined;
  partsSeen: number;
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

const requestLimitBytes = 8 * 1024 * 1024;
const firstPauseMs = 20;
const longestPauseMs = 1_000;

/**
 * One WebSocket for all requests, opened by the first, opened again when it breaks. It keeps the process alive while
 * a reply is due, and no longer. A request that was under way when the connection broke is sent again under its id: the
 * window does it once, and keeps the reply until it is acknowledged.
 */
export class Connection {
  readonly #endpoint: BridgeEndpoint;
  readonly #reconnectMs: number;
  readonly #pending = new Map<number, Call>();
  /** Those that were given up while there was no connection. */
  readonly #toCancel = new Set<number>();
  #clientId: string = randomUUID();
  #serverId: string | undefined;
  #lastId = 0;
  #greeted: Greeted | undefined;
  #opening: Promise<void> | undefined;
  #dialling: Promise<void> | undefined;
  /** Why there is no connection. */
  #fault: Error | undefined;
  #isClosed = false;

  constructor(endpoint: BridgeEndpoint, reconnectMs = 60_000) {
    this.#endpoint = endpoint;
    this.#reconnectMs = reconnectMs;
  }

  async send(request: BridgeRequest): Promise<Record<string, unknown>> {
    const { signal, timeoutMs, type } = request;
    signal?.throwIfAborted();
    if (this.#isClosed) throw closedHere();
    const id = (this.#lastId += 1);
    const text = encode(id, request);
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    const call: Call = { id, text, request, serverId: undefined, partsSeen: 0, resolve, reject };
    const giveUp = (error: Error) => {
      this.#cancel(call);
      reject(error);
    };
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => giveUp(this.#late(type, timeoutMs)), timeoutMs);
    const abort = () => giveUp(signal!.reason as Error);
    signal?.addEventListener('abort', abort);
    this.#start(call);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#setActive();
    }
  }

  /** Rejects when the window is not there now. */
  async probe(): Promise<void> {
    if (this.#isClosed) throw closedHere();
    if (this.#greeted === undefined) await this.#dial();
    if (this.#isClosed) throw closedHere();
  }

  close(): void {
    this.#isClosed = true;
    this.#fail(closedHere());
    this.#greeted?.socket.close(1000);
  }

  #start(call: Call): void {
    this.#pending.set(call.id, call);
    if (this.#greeted === undefined) {
      this.#open().catch((error: Error) => this.#fail(error));
      return;
    }
    call.serverId = this.#serverId;
    this.#greeted.socket.send(call.text);
    this.#setActive();
  }

  #cancel({ id, serverId }: Call): void {
    if (!this.#pending.delete(id) || serverId === undefined) return;
    if (this.#greeted === undefined) this.#toCancel.add(id);
    else this.#frame('$/cancel', id);
  }

  #open(): Promise<void> {
    return (this.#opening ??= this.#connect().finally(() => (this.#opening = undefined)));
  }

  async #connect(): Promise<void> {
    const giveUpAtMs = performance.now() + this.#reconnectMs;
    const { address } = this.#endpoint;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await this.#dial();
      } catch (error) {
        if (error instanceof BridgeError) throw error;
        if (this.#serverId === undefined) throw unreachable(address, error as Error);
        if (performance.now() + pauseMs > giveUpAtMs)
          throw lost(address, error as Error, this.#reconnectMs / 1000);
      }
      await sleep(pauseMs);
      if (this.#isClosed) throw closedHere();
      if (this.#pending.size === 0 || this.#greeted !== undefined) return;
    }
  }

  /** Tries once. */
  #dial(): Promise<void> {
    return (this.#dialling ??= this.#greet().finally(() => (this.#dialling = undefined)));
  }

  async #greet(): Promise<void> {
    try {
      this.#resume(await greet(this.#endpoint, this.#clientId, (frame) => this.#receive(frame)));
    } catch (error) {
      this.#fault = error as Error;
      throw error;
    }
  }

  /** More time would not help where there is no window. */
  #late(type: string, timeoutMs: number): BridgeError {
    if (this.#greeted !== undefined) return timedOut(type, timeoutMs);
    const { address } = this.#endpoint;
    const fault = this.#fault ?? new Error('it does not answer');
    return this.#serverId === undefined ? unreachable(address, fault) : notBack(address, fault);
  }

  /** Sends what the window does not know yet. */
  #resume(greeted: Greeted): void {
    const { socket, isResumed, serverId } = greeted;
    if (this.#isClosed) return socket.close(1000);
    this.#greeted = greeted;
    this.#fault = undefined;
    this.#serverId = serverId;
    socket.on('close', (code, reason) => this.#onClose(greeted, code, reason.toString()));
    for (const call of this.#pending.values()) {
      if (call.serverId !== undefined && !isResumed && !call.request.isRepeatable) {
        this.#pending.delete(call.id);
        call.reject(unknownOutcome(call.request.type));
      } else {
        call.serverId = serverId;
        socket.send(call.text);
      }
    }
    if (isResumed) for (const id of this.#toCancel) this.#frame('$/cancel', id);
    this.#toCancel.clear();
    this.#setActive();
  }

  #onClose(greeted: Greeted, code: number, reason: string): void {
    if (this.#greeted !== greeted) return;
    this.#greeted = undefined;
    this.#fault = new Error(reason || `the connection was closed (${code})`);
    const final = finalLoss(code, reason);
    if (final !== undefined) this.#fail(final);
    else if (this.#pending.size > 0) this.#open().catch((error: Error) => this.#fail(error));
  }

  /** A later request begins anew: what the window kept for this client is nobody's. */
  #fail(error: Error): void {
    const calls = [...this.#pending.values()];
    this.#pending.clear();
    this.#toCancel.clear();
    this.#clientId = randomUUID();
    this.#serverId = undefined;
    for (const { reject } of calls) reject(error);
  }

  #receive(frame: unknown): void {
    const { id } = (frame ?? {}) as { id?: unknown };
    if (typeof id !== 'number') return;
    const call = this.#pending.get(id);
    const part = partFrame.safeParse(frame);
    if (!part.success) {
      this.#pending.delete(id);
      this.#frame('$/ack', id);
      if (call !== undefined) settle(call, frame);
    } else if (part.data.index === call?.partsSeen) {
      // After a reconnection they come again from the first one.
      call.partsSeen += 1;
      call.request.onPart?.(part.data.text);
    }
  }

  #frame(type: '$/ack' | '$/cancel', id: number): void {
    this.#greeted?.socket.send(JSON.stringify({ id, type }));
  }

  #setActive(): void {
    this.#greeted?.setActive(this.#pending.size > 0);
  }
}

function settle({ request: { type }, resolve, reject }: Call, frame: unknown): void {
  const reply = replyFrame.safeParse(frame);
  if (!reply.success) return reject(new BridgeError('bad_reply', badReply(type, reply.error)));
  if (reply.data.success) return resolve(reply.data.result);
  const { code, error } = reply.data;
  reject(new BridgeError(code, `VS Code could not do ${type}: ${error}`));
}

function encode(id: number, { type, params, timeoutMs }: BridgeRequest): string {
  const text = JSON.stringify({
    id,
    type,
    params: { ...params, ...(timeoutMs !== undefined && { timeout: timeoutMs }) },
  });
  const bytes = Buffer.byteLength(text);
  if (bytes <= requestLimitBytes) return text;
  throw new BridgeError(
    'invalid_params',
    `The parameters of ${type} are ${bytes} bytes long, and VS Code takes ${requestLimitBytes}. Put what is large in a file, and send its path.`,
  );
}
