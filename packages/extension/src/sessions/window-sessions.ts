import type { Duplex } from 'node:stream';
import type { OpenSession } from '@fairlead/protocol';
import type { Agent } from './agent.ts';
import type { AgentSession } from './agent-session.ts';

/** How long a running command has to end by itself when its session does. */
const endingMs = 500;

export interface SessionsListener {
  /** A session came or went. */
  changed(): void;
  /** A session is over; not told of one that comes back after a reload. */
  ended(sessionId: string): void;
}

/** The sessions that have their runtime in this window. */
export class WindowSessions {
  readonly #open: (message: OpenSession) => Promise<AgentSession>;
  readonly #listener: SessionsListener;
  readonly #opening = new Map<string, Promise<AgentSession>>();
  readonly #sessions = new Map<string, AgentSession>();

  constructor(open: (message: OpenSession) => Promise<AgentSession>, listener: SessionsListener) {
    this.#open = open;
    this.#listener = listener;
  }

  agents(): Agent[] {
    return [...this.#sessions.values()].map(({ agent }) => agent);
  }

  /** Also of those that are being opened. */
  ids(): string[] {
    return [...this.#opening.keys()];
  }

  folderOf(sessionId: string): string | undefined {
    return this.#sessions.get(sessionId)?.folder;
  }

  /** Said again for a session that is open, it changes nothing. */
  async open(message: OpenSession): Promise<void> {
    const { sessionId } = message;
    const known = this.#opening.get(sessionId);
    if (known !== undefined) return void (await known);
    const opening = this.#open(message);
    this.#opening.set(sessionId, opening);
    try {
      this.#sessions.set(sessionId, await opening);
    } catch (error) {
      this.#opening.delete(sessionId);
      throw error;
    }
    this.#listener.changed();
  }

  accept(sessionId: string, stream: Duplex): void {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) return session.accept(stream);
    stream.on('error', () => undefined);
    stream.destroy(new Error(`the session ${sessionId} is not open in this window`));
  }

  /** Ends what runs and every process of the session. */
  async close(sessionId: string): Promise<void> {
    const isClosed = await this.#close(sessionId, (session) => session.close(endingMs));
    if (isClosed) this.#listener.ended(sessionId);
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.ids().map((sessionId) => this.close(sessionId)));
  }

  /** As `closeAll`, for sessions that come back in this window or another: what waits for the user is asked again then. */
  async suspendAll(): Promise<void> {
    // At once: from now on the user can allow nothing here.
    for (const session of this.#sessions.values()) session.suspend();
    await Promise.all(this.ids().map((sessionId) => this.#close(sessionId, suspendAndClose)));
  }

  /** False when there is none, or somebody else closes it. */
  async #close(sessionId: string, end: (session: AgentSession) => Promise<void>): Promise<boolean> {
    const opening = this.#opening.get(sessionId);
    const session = await opening?.catch(() => undefined);
    if (session === undefined || this.#opening.get(sessionId) !== opening) return false;
    this.#sessions.delete(sessionId);
    // Whoever opens it again meanwhile waits for the lock on its directory.
    this.#opening.delete(sessionId);
    this.#listener.changed();
    await end(session);
    return true;
  }
}

/** Also one that has been opened only now, and may have asked already. */
async function suspendAndClose(session: AgentSession): Promise<void> {
  session.suspend();
  await session.close(0);
}
