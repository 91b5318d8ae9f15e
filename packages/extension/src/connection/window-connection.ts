import type { OpenSession, WindowFacts } from '@fairlead/protocol';
import type { Kept } from '../kept.ts';
import type { NoticeQueue } from '../notices.ts';
import type { WindowSessions } from '../sessions/window-sessions.ts';
import { EndedSessions } from './ended-sessions.ts';
import { type Credential, GatewayLink, type LinkState } from './gateway-link.ts';

export type ConnectionState =
  | { kind: 'off' }
  | { kind: 'connecting'; url: string }
  | { kind: 'connected'; url: string; owner: string }
  /** Was connected, or is wanted to be; it is being tried again. */
  | { kind: 'lost'; url: string; reason: string };

export interface WindowConnectionParts {
  facts(): WindowFacts;
  sessions: WindowSessions;
  notices: NoticeQueue;
  /** Of sessions that the user ended and whose gateway does not know it yet, over a reload. */
  endedSessions: Kept;
  /** Pairing gave a key for next time. */
  saveKey(url: string, key: string): Promise<void>;
  onState(state: ConnectionState): void;
  /** The gateway ended it, and will not have this window back as it is. */
  onRefused(url: string, detail: string): void;
  log(line: string): void;
}

/** A gateway that cannot be reached, or says no: in words for the user. */
export class ConnectFailure extends Error {
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal: boolean) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** The user disconnected, or connected elsewhere, before the gateway had answered. */
export class ConnectGivenUp extends Error {}

/** One wish to be connected, from the first attempt until it ends. */
interface Attempt {
  readonly url: string;
  readonly keepsTrying: boolean;
  readonly welcomed: PromiseWithResolvers<void>;
  /** After pairing there is a key. */
  credential: Credential;
}

/** Whether this window is connected, and to what. One gateway at a time. */
export class WindowConnection {
  readonly #parts: WindowConnectionParts;
  readonly #ended: EndedSessions;
  #link: GatewayLink | undefined;
  /** Whose link it is: what any other says is of no interest. */
  #attempt: Attempt | undefined;
  #state: ConnectionState = { kind: 'off' };
  #turns: Promise<unknown> = Promise.resolve();
  #isSuspended = false;

  constructor(parts: WindowConnectionParts) {
    this.#parts = parts;
    this.#ended = new EndedSessions(parts.endedSessions);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /**
   * Resolves when the gateway has welcomed this window. Rejects when it says no; and, unless told to keep on trying, when
   * it cannot be reached.
   */
  async connect(url: string, credential: Credential, { keepsTrying = false } = {}): Promise<void> {
    const attempt: Attempt = { url, keepsTrying, credential, welcomed: Promise.withResolvers() };
    await this.#inTurn(async () => {
      await this.#leave('The user connected this window to another gateway');
      this.#dial(attempt);
    });
    await attempt.welcomed.promise;
  }

  /** Ends everything that agents do here, at once, and tells the gateway why: now, or when it is there again. */
  async disconnect(reason: string): Promise<void> {
    await this.#inTurn(() => this.#leave(reason));
  }

  /** The user ends one agent's session. */
  async endSession(sessionId: string, reason: string): Promise<void> {
    const url = this.#attempt?.url;
    if (url !== undefined) {
      this.#ended.add(url, [sessionId], reason);
      this.#tellEnded();
    }
    await this.#parts.sessions.close(sessionId);
  }

  tellFacts(): void {
    void this.#link?.tellFacts();
  }

  /** The extension host ends: the gateway is left to wait for this window. */
  async suspend(): Promise<void> {
    this.#isSuspended = true;
    this.#link?.close();
    this.#parts.notices.detach();
    await this.#parts.sessions.suspendAll();
  }

  /** Who connects or disconnects waits until the one before has done so. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turns.then(work);
    this.#turns = done.catch(() => undefined);
    return done;
  }

  #dial(attempt: Attempt): void {
    if (this.#isSuspended) throw new ConnectGivenUp('The window is being closed');
    const { url } = attempt;
    const { sessions } = this.#parts;
    this.#attempt = attempt;
    this.#set({ kind: 'connecting', url });
    this.#link = new GatewayLink({
      url,
      credential: () => attempt.credential,
      facts: () => this.#parts.facts(),
      openSession: (message) => this.#openSession(attempt, message),
      closeSession: (sessionId) => sessions.close(sessionId),
      acceptStream: (sessionId, stream) => sessions.accept(sessionId, stream),
      onState: (state) => {
        if (this.#attempt === attempt) this.#onLinkState(attempt, state);
      },
    });
  }

  async #leave(reason: string): Promise<void> {
    const [link, attempt] = [this.#link, this.#attempt];
    if (link === undefined || attempt === undefined) return;
    const { sessions } = this.#parts;
    const open = sessions.ids();
    this.#ended.add(attempt.url, open, reason);
    this.#end();
    const [isTold] = await Promise.all([link.leave(reason), sessions.closeAll()]);
    if (isTold) this.#ended.remove(attempt.url, open);
  }

  async #openSession(attempt: Attempt, message: OpenSession): Promise<void> {
    if (this.#attempt !== attempt) throw new Error('The window has left this gateway');
    const ended = this.#ended.find(attempt.url, message.sessionId);
    if (ended !== undefined) throw new Error(ended.reason);
    await this.#parts.sessions.open(message);
  }

  /** Until the gateway has taken note of each. */
  #tellEnded(): void {
    const [link, attempt] = [this.#link, this.#attempt];
    if (link === undefined || attempt === undefined) return;
    for (const { url, sessionId, reason } of this.#ended.of(attempt.url)) {
      void link.leaveSession(sessionId, reason).then((isTold) => {
        if (isTold) this.#ended.remove(url, [sessionId]);
      });
    }
  }

  #onLinkState(attempt: Attempt, state: LinkState): void {
    const { notices, log } = this.#parts;
    const { url, welcomed } = attempt;
    switch (state.kind) {
      case 'connecting':
        return;
      case 'connected':
        this.#onWelcome(attempt, state.welcome.windowKey);
        this.#set({ kind: 'connected', url, owner: state.welcome.owner });
        return welcomed.resolve();
      case 'lost': {
        notices.detach();
        const isFirst = this.#state.kind === 'connecting';
        log(`${url}: ${state.reason}`);
        if (!isFirst || attempt.keepsTrying) return this.#set({ kind: 'lost', url, reason: state.reason });
        this.#link?.close();
        welcomed.reject(new ConnectFailure(`Cannot reach the gateway at ${url}: ${state.reason}`, false));
        return this.#end();
      }
      case 'refused': {
        const wasWelcome = this.#state.kind === 'connected' || this.#state.kind === 'lost';
        log(`${url} refused this window: ${state.detail}`);
        welcomed.reject(new ConnectFailure(`The gateway at ${url} refused: ${state.detail}`, true));
        this.#end();
        // It may be that another window has taken over: then what waits for the user waits there, and no longer here.
        const suspended = this.#parts.sessions.suspendAll();
        void this.#inTurn(() => suspended).catch((error: Error) => log(error.message));
        if (wasWelcome) this.#parts.onRefused(url, state.detail);
      }
    }
  }

  #onWelcome(attempt: Attempt, windowKey: string | undefined): void {
    const { notices, saveKey, log } = this.#parts;
    const link = this.#link;
    if (link === undefined) return;
    notices.attach((message) => link.deliver(message));
    this.#tellEnded();
    if (windowKey !== undefined) attempt.credential = { key: windowKey };
    if (!('key' in attempt.credential)) return;
    saveKey(attempt.url, attempt.credential.key).catch((error: Error) =>
      log(`the key could not be kept: ${error.message}`),
    );
  }

  #end(): void {
    this.#attempt?.welcomed.reject(new ConnectGivenUp('The window was disconnected before it was welcome'));
    this.#attempt = undefined;
    this.#link = undefined;
    this.#parts.notices.detach();
    this.#set({ kind: 'off' });
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    this.#parts.onState(state);
  }
}
