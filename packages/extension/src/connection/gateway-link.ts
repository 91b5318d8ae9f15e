import type { Duplex } from 'node:stream';
import {
  type Acknowledgement,
  closeSession,
  type GatewayToWindow,
  type NoticeMessage,
  openSession,
  type OpenSession,
  refused,
  type Welcome,
  welcome,
  type WindowFacts,
  type WindowHello,
  windowNamespace,
  windowProtocolVersion,
  type WindowToGateway,
} from '@fairlead/protocol';
import { StreamMux } from '@fairlead/tunnel';
import { Manager, type Socket } from 'socket.io-client';

/** `lost` is tried again, also when the gateway cannot for now; `refused` is not: it said no, and would say so again. */
export type LinkState =
  | { kind: 'connecting' }
  | { kind: 'connected'; welcome: Welcome }
  | { kind: 'lost'; reason: string }
  | { kind: 'refused'; detail: string };

export type Credential = { key: string } | { code: string };

export interface LinkOptions {
  url: string;
  /** Asked for at each attempt: after pairing there is a key. */
  credential(): Credential;
  facts(): WindowFacts;
  onState(state: LinkState): void;
  openSession(message: OpenSession): Promise<void>;
  closeSession(sessionId: string, reason: string): Promise<void>;
  /** A byte stream that the gateway opened to a session's server. */
  acceptStream(sessionId: string, stream: Duplex): void;
}

type WindowSocket = Socket<GatewayToWindow, WindowToGateway>;

const acknowledgeTimeoutMs = 10_000;
/** Of the user's own wish to leave, which is carried out here whether the gateway hears of it or not. */
const leaveTimeoutMs = 1_000;
/** Where the library does not come back by itself: first, and at most. */
const comeBackMs = { first: 1_000, most: 10_000 };

/** The connection of this window to a gateway, dialled again whenever it is lost. */
export class GatewayLink {
  readonly #options: LinkOptions;
  readonly #socket: WindowSocket;
  #mux: StreamMux | undefined;
  #isOver = false;
  #comingBack: NodeJS.Timeout | undefined;
  #comeBackMs = comeBackMs.first;
  #factsTold = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
    const base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
    const manager = new Manager(base.origin, {
      path: `${base.pathname}socket.io/`,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      reconnectionDelay: 250,
      reconnectionDelayMax: 10_000,
      randomizationFactor: 0.5,
    });
    this.#socket = manager.socket(windowNamespace, { auth: (give) => give(this.#hello()) });
    this.#listen();
    options.onState({ kind: 'connecting' });
  }

  /** Until the gateway has taken note, which does not hear a window that says much at once; or until there is more to tell. */
  async tellFacts(): Promise<void> {
    const turn = (this.#factsTold += 1);
    // What is emitted while the connection is lost would be sent later, when it is no longer true.
    while (this.#socket.connected && this.#factsTold === turn) {
      const answer = await this.#socket
        .timeout(acknowledgeTimeoutMs)
        .emitWithAck('facts', this.#options.facts())
        .catch(() => undefined);
      if (answer !== undefined) return;
    }
  }

  deliver(message: NoticeMessage): Promise<Acknowledgement> {
    if (!this.#socket.connected) return Promise.reject(new Error('the connection is lost'));
    return this.#socket.timeout(acknowledgeTimeoutMs).emitWithAck('notice', message);
  }

  /** The user ended one agent's session. False when the connection was lost before the gateway took note of it. */
  async leaveSession(sessionId: string, reason: string): Promise<boolean> {
    while (this.#socket.connected) {
      const answer = await this.#socket
        .timeout(acknowledgeTimeoutMs)
        .emitWithAck('leave-session', { sessionId, reason })
        .catch(() => undefined);
      if (answer !== undefined) return answer.ok;
    }
    return false;
  }

  /** The user disconnected the window. False when the gateway has not heard of it. */
  async leave(reason: string): Promise<boolean> {
    // Nobody is to hear any more of this connection: there may be another by the time that it has ended.
    this.#isOver = true;
    const answer = this.#socket.connected
      ? await this.#socket
          .timeout(leaveTimeoutMs)
          .emitWithAck('leave', { reason })
          .catch(() => undefined)
      : undefined;
    this.close();
    return answer?.ok === true;
  }

  /** Without a word: the gateway waits for this window to come back. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#comingBack);
    this.#endStreams('the window has closed the connection');
    this.#socket.disconnect();
  }

  #hello(): WindowHello {
    return {
      ...this.#options.credential(),
      protocolVersion: windowProtocolVersion,
      window: this.#options.facts(),
    };
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('connect', () => this.#startStreams());
    socket.on('connect_error', (error: Error & { data?: { status?: number; detail?: string } }) => {
      const { status = 0, detail = error.message } = error.data ?? {};
      if (socket.active) this.#tell({ kind: 'lost', reason: plainReason(error) });
      else if (status === 429 || status >= 500) {
        this.#tell({ kind: 'lost', reason: detail });
        this.#comeBack();
      } else this.#refuse(detail);
    });
    socket.on('disconnect', (reason) => {
      this.#endStreams(`the connection to the gateway was lost: ${reason}`);
      this.#tell({ kind: 'lost', reason });
      // The library does not come back by itself when the gateway closed the connection in good order.
      if (!socket.active) this.#comeBack();
    });
    socket.on('refused', (message) => this.#refuse(refused.parse(message).detail));
    socket.on('welcome', (message) => {
      this.#comeBackMs = comeBackMs.first;
      this.#tell({ kind: 'connected', welcome: welcome.parse(message) });
    });
    socket.on('stream', (frame) => this.#receiveFrame(frame));
    socket.on('open-session', (message, acknowledge) =>
      this.#answer(acknowledge, () => this.#options.openSession(openSession.parse(message))),
    );
    socket.on('close-session', (message, acknowledge) =>
      this.#answer(acknowledge, () => {
        const { sessionId, reason } = closeSession.parse(message);
        return this.#options.closeSession(sessionId, reason);
      }),
    );
  }

  #comeBack(): void {
    if (this.#isOver) return;
    this.#comingBack = setTimeout(() => this.#socket.connect(), this.#comeBackMs);
    this.#comeBackMs = Math.min(this.#comeBackMs * 2, comeBackMs.most);
  }

  #startStreams(): void {
    this.#mux = new StreamMux(
      (frame) => this.#socket.emit('stream', frame),
      (label, stream) => this.#options.acceptStream(label, stream),
    );
  }

  #endStreams(reason: string): void {
    this.#mux?.close(Object.assign(new Error(reason), { code: 'ECONNRESET' }));
    this.#mux = undefined;
  }

  #receiveFrame(frame: Uint8Array): void {
    this.#mux?.receive(frame);
    // The gateway broke the rules of the tunnel; both sides begin anew.
    if (this.#mux?.isClosed) this.#socket.disconnect().connect();
  }

  #refuse(detail: string): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onState({ kind: 'refused', detail });
  }

  #tell(state: LinkState): void {
    if (!this.#isOver) this.#options.onState(state);
  }

  #answer(acknowledge: (answer: Acknowledgement) => void, work: () => Promise<void>): void {
    Promise.resolve()
      .then(work)
      .then(
        () => acknowledge({ ok: true }),
        (error: Error) => acknowledge({ ok: false, detail: error.message }),
      );
  }
}

interface TransportError extends Error {
  /** Of a WebSocket what happened, of a request its status. */
  description?: { message?: string } | number;
  context?: { responseText?: string };
}

/** Socket.IO hides the cause in places that differ by transport. */
function plainReason({ message, description, context }: TransportError): string {
  if (typeof description === 'object' && description.message) return description.message;
  const cause = /^Error: (.*)/.exec(context?.responseText ?? '')?.[1];
  if (cause !== undefined) return cause;
  return typeof description === 'number' && description > 0
    ? `it answers with status ${description}, as if it were no gateway`
    : message;
}
