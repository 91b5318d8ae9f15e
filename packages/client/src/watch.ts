import { type SessionEvent, sessionEvent } from '@fairlead/protocol';
import type { Manager, Socket } from 'socket.io-client';
import { FairleadError } from './fairlead-error.ts';
import { checkAnswer, type Connection } from './http.ts';

export interface WatchOptions {
  /** The last `seq` that is known already, 0 for all of the journal; without it the watch starts now. */
  after?: number | undefined;
  /** Ends the watch in good order. */
  signal?: AbortSignal | undefined;
}

/**
 * What happens in a session, in order, until the signal. When the connection breaks it goes on behind the last event,
 * and says with `lost-output` that there may have been output meanwhile. Who is slow to ask for the next event slows
 * the gateway down, which then leaves out output.
 */
export async function* watchSession(
  connection: Connection,
  session: string,
  options: WatchOptions = {},
): AsyncGenerator<SessionEvent> {
  const { signal } = options;
  if (signal?.aborted) return;
  // Most who use a client never watch, and it takes a while to load.
  const socketIo = await import('socket.io-client');
  const feed = new Feed(connection, session, options.after, socketIo.Manager);
  const stop = () => feed.close();
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    for (;;) {
      const batch = await feed.next();
      if (batch === undefined) return;
      yield* batch.events;
      batch.consumed();
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    feed.close();
  }
}

interface Batch {
  events: SessionEvent[];
  consumed(): void;
}

type WatchAnswer = { ok: true } | { ok: false; status: number; detail: string };

/** One connection for one watch: batches do not say which session they belong to. */
class Feed {
  readonly #connection: Connection;
  readonly #session: string;
  readonly #socket: Socket;
  readonly #batches: Batch[] = [];
  #seenSeq: number | undefined;
  #hasConnected = false;
  #failure: FairleadError | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;
  #giveUp: ReturnType<typeof setTimeout> | undefined;

  constructor(
    connection: Connection,
    session: string,
    after: number | undefined,
    SocketManager: typeof Manager,
  ) {
    this.#connection = connection;
    this.#session = session;
    this.#seenSeq = after;
    const { base, key } = connection;
    const manager = new SocketManager(base.origin, {
      path: `${base.pathname}socket.io/`,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      reconnectionDelay: 100,
      reconnectionDelayMax: 2_000,
    });
    this.#socket = manager.socket('/sessions', key === undefined ? {} : { auth: { key } });
    this.#socket.on('connect', () => this.#start());
    this.#socket.on('connect_error', (error) => this.#onConnectError(error));
    this.#socket.on('disconnect', (reason) => this.#onDisconnect(reason));
    this.#socket.on('events', (events: unknown[], done: () => void) => this.#receive(events, done));
  }

  /** Undefined when it was closed. */
  async next(): Promise<Batch | undefined> {
    for (;;) {
      const batch = this.#batches.shift();
      if (this.#isClosed) return undefined;
      if (batch !== undefined) return batch;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#giveUp);
    this.#socket.disconnect();
    this.#wake?.();
  }

  #start(): void {
    clearTimeout(this.#giveUp);
    this.#giveUp = undefined;
    if (this.#hasConnected) this.#push([{ type: 'lost-output', bytes: null }]);
    this.#hasConnected = true;
    const request = { session: this.#session, after: this.#seenSeq };
    this.#socket.emit('watch', request, (answer: WatchAnswer) => {
      if (!answer.ok) this.#fail(FairleadError.fromStatus(answer.status, answer.detail));
    });
  }

  #receive(events: unknown[], done: () => void): void {
    try {
      this.#push(
        events.filter(isKnown).map((event) => checkAnswer(sessionEvent, event, 'a watch')),
        done,
      );
    } catch (error) {
      this.#fail(error as FairleadError);
    }
  }

  #push(events: SessionEvent[], consumed: () => void = () => undefined): void {
    this.#batches.push({ events: events.filter((event) => this.#isNew(event)), consumed });
    this.#wake?.();
  }

  #isNew(event: SessionEvent): boolean {
    if (!('seq' in event)) return true;
    const isBehind = this.#seenSeq !== undefined && event.seq <= this.#seenSeq;
    if (!isBehind) this.#seenSeq = event.seq;
    return !isBehind || event.type === 'live';
  }

  #onConnectError(error: Error & { data?: { status?: number; detail?: string } }): void {
    // The gateway itself said no; otherwise it is tried again.
    if (!this.#socket.active) {
      this.#fail(FairleadError.fromStatus(error.data?.status ?? 401, error.data?.detail ?? error.message));
    } else if (!this.#hasConnected) this.#fail(this.#unreachable(error.message));
  }

  #onDisconnect(reason: string): void {
    if (this.#isClosed) return;
    this.#giveUp ??= setTimeout(() => this.#fail(this.#unreachable(reason)), this.#connection.retryForMs);
    // The library does not come back by itself when the other side closes in good order.
    if (!this.#socket.active) this.#socket.connect();
  }

  #unreachable(reason: string): FairleadError {
    return new FairleadError(
      'unreachable',
      `Cannot reach the gateway at ${this.#connection.base.origin} to watch ${this.#session}: ${reason}`,
    );
  }

  #fail(failure: FairleadError): void {
    this.#failure ??= failure;
    clearTimeout(this.#giveUp);
    this.#socket.disconnect();
    this.#wake?.();
  }
}

const knownTypes = new Set<unknown>(sessionEvent.options.map(({ shape }) => shape.type.value));

/** Gateways may come to tell more than this client knows. */
function isKnown(event: unknown): boolean {
  return knownTypes.has((event as { type?: unknown } | null)?.type);
}
