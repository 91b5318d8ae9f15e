export interface ConnectionLimits {
  /** Requests and sockets of one session at once. */
  connectionsPerSession: number;
  /** How many of them guests may have, all together: what is shared must not lock its owner out. */
  guestConnectionsPerSession: number;
}

/** How many requests and sockets of one session may be open at once. */
export class SessionBounds {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<string, { all: number; guests: number }>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Undefined where there is no room; whoever was let in calls what it answers once, to leave. */
  enter(sessionId: string, isGuest: boolean): (() => void) | undefined {
    const count = this.#open.get(sessionId) ?? { all: 0, guests: 0 };
    const { connectionsPerSession, guestConnectionsPerSession } = this.#limits;
    if (count.all >= connectionsPerSession) return undefined;
    if (isGuest && count.guests >= guestConnectionsPerSession) return undefined;
    const guests = isGuest ? 1 : 0;
    count.all += 1;
    count.guests += guests;
    this.#open.set(sessionId, count);
    return () => {
      count.all -= 1;
      count.guests -= guests;
      if (count.all === 0) this.#open.delete(sessionId);
    };
  }
}
