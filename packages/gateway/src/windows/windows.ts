import type { Duplex } from 'node:stream';
import type {
  Acknowledgement,
  CloseSession,
  OpenSession,
  WindowChoice,
  WindowFacts,
} from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';
import { type ChosenWindow, chooseWindow } from './choose-window.ts';

/** What the gateway can say to a window that is connected. */
export interface WindowLine {
  /** Resolves with a refusal also when the connection is lost or no answer comes. */
  openSession(message: OpenSession): Promise<Acknowledgement>;
  closeSession(message: CloseSession): Promise<void>;
  /** To the sandbox server of a session that is open in it. Throws when there can be no more streams. */
  openStream(sessionId: string): Duplex;
  /** Tells it why, and closes the connection. */
  refuse(detail: string): void;
}

export interface ConnectedWindow {
  readonly ownerId: string;
  readonly connectedAt: string;
  /** What it was let in with. */
  readonly keyId: string | null;
  readonly line: WindowLine;
  facts: WindowFacts;
}

export interface WindowAddress {
  ownerId: string;
  windowId: string;
}

/** A session that runs in a window, or waits for it. */
export interface HostedSession extends WindowAddress {
  id: string;
  agent: string;
}

/** Who has sessions in windows. */
export interface WindowListener {
  onConnected(window: ConnectedWindow): void;
  onLost(window: ConnectedWindow): void;
  /** Its user has ended all it does for agents; resolves when that is over. */
  onLeft(window: ConnectedWindow, reason: string): Promise<void>;
  onSessionLeft(window: ConnectedWindow, sessionId: string, reason: string): Promise<void>;
}

const maxWindowsPerOwner = 200;

/** The windows that are connected, each known by its owner and its own id, and the sessions in them. */
export class Windows {
  readonly #connected = new Map<string, ConnectedWindow>();
  readonly #hosted = new Map<string, HostedSession>();
  readonly #watchers = new Set<(changed: WindowAddress) => void>();
  #listener: WindowListener | undefined;

  listen(listener: WindowListener): void {
    this.#listener = listener;
  }

  /** One that is connected already is replaced: its connection may be dead without knowing it. */
  connect(window: ConnectedWindow): void {
    const address = addressOf(window);
    const before = this.find(address);
    if (before !== undefined) {
      this.disconnect(before);
      before.line.refuse('This window has connected again elsewhere');
    }
    if (this.list(window.ownerId).length >= maxWindowsPerOwner) {
      throw new GatewayError('limit-reached', `${maxWindowsPerOwner} windows are connected; disconnect some`);
    }
    this.#connected.set(keyOf(address), window);
    this.#tell(address);
    this.#listener?.onConnected(window);
  }

  /** Its connection has ended. */
  disconnect(window: ConnectedWindow): void {
    const address = addressOf(window);
    if (this.find(address) !== window) return;
    this.#connected.delete(keyOf(address));
    this.#tell(address);
    this.#listener?.onLost(window);
  }

  update(window: ConnectedWindow, facts: WindowFacts): void {
    // Its id is what it was let in as.
    window.facts = { ...facts, windowId: window.facts.windowId };
    this.#tell(addressOf(window));
  }

  async leave(window: ConnectedWindow, reason: string): Promise<void> {
    if (this.find(addressOf(window)) === window) await this.#listener?.onLeft(window, reason);
  }

  async leaveSession(window: ConnectedWindow, sessionId: string, reason: string): Promise<void> {
    if (this.find(addressOf(window)) === window) {
      await this.#listener?.onSessionLeft(window, sessionId, reason);
    }
  }

  find(address: WindowAddress): ConnectedWindow | undefined {
    return this.#connected.get(keyOf(address));
  }

  /** Of one owner, in the order in which they came. */
  list(ownerId: string): ConnectedWindow[] {
    return [...this.#connected.values()].filter((window) => window.ownerId === ownerId);
  }

  get count(): number {
    return this.#connected.size;
  }

  /** Where a new session of the owner is to run; refused with what there is to choose from. */
  choose(ownerId: string, choice: WindowChoice): ChosenWindow {
    return chooseWindow(
      this.list(ownerId).map(({ facts }) => facts),
      choice,
    );
  }

  host(session: HostedSession): void {
    this.#hosted.set(session.id, session);
    this.#tell(session);
  }

  release(sessionId: string): void {
    const session = this.#hosted.get(sessionId);
    this.#hosted.delete(sessionId);
    if (session !== undefined) this.#tell(session);
  }

  sessionsOf({ ownerId, windowId }: WindowAddress): HostedSession[] {
    return [...this.#hosted.values()].filter(
      (session) => session.ownerId === ownerId && session.windowId === windowId,
    );
  }

  /** Called with each window that came, went, or is not what it was; returns what ends it. */
  watch(onChange: (changed: WindowAddress) => void): () => void {
    this.#watchers.add(onChange);
    return () => void this.#watchers.delete(onChange);
  }

  #tell({ ownerId, windowId }: WindowAddress): void {
    for (const onChange of this.#watchers) onChange({ ownerId, windowId });
  }
}

export function addressOf({ ownerId, facts }: ConnectedWindow): WindowAddress {
  return { ownerId, windowId: facts.windowId };
}

/** Owners have ids without blanks. */
export function keyOf({ ownerId, windowId }: WindowAddress): string {
  return `${ownerId} ${windowId}`;
}
