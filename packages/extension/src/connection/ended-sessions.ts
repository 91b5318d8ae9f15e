import { z } from 'zod';
import type { Kept } from '../kept.ts';

/** A session that the user ended in this window. */
const endedSession = z.object({
  /** Of its gateway. */
  url: z.string(),
  sessionId: z.string(),
  reason: z.string(),
});
export type EndedSession = z.infer<typeof endedSession>;

/** A gateway that never comes back must not fill the store. */
const limit = 200;
/** What the protocol takes. */
const longestReason = 1_024;

/** The sessions that the user ended, each until its gateway has heard of it: it would open them again. */
export class EndedSessions {
  readonly #store: Kept;
  #sessions: EndedSession[];

  constructor(store: Kept) {
    this.#store = store;
    const stored = z.array(endedSession).safeParse(store.get());
    this.#sessions = stored.success ? stored.data : [];
  }

  of(url: string): EndedSession[] {
    return this.#sessions.filter((session) => session.url === url);
  }

  find(url: string, sessionId: string): EndedSession | undefined {
    return this.of(url).find((session) => session.sessionId === sessionId);
  }

  add(url: string, sessionIds: string[], reason: string): void {
    const added = sessionIds.map((sessionId) => ({ url, sessionId, reason: reason.slice(0, longestReason) }));
    this.#keep([...this.#without(url, sessionIds), ...added].slice(-limit));
  }

  remove(url: string, sessionIds: string[]): void {
    this.#keep(this.#without(url, sessionIds));
  }

  #without(url: string, sessionIds: string[]): EndedSession[] {
    return this.#sessions.filter((session) => session.url !== url || !sessionIds.includes(session.sessionId));
  }

  #keep(sessions: EndedSession[]): void {
    if (sessions.length === 0 && this.#sessions.length === 0) return;
    this.#sessions = sessions;
    this.#store.set(sessions);
  }
}
