import { setTimeout as sleep } from 'node:timers/promises';
import type { EditorState } from '@fairlead/protocol';
import type { SessionPlaces } from './session-places.ts';

const startLimitMs = 60_000;
const askEveryMs = 200;
/** An editor that nobody speaks of is stopped after a while, although browsers are connected to it. */
const keepEditorMs = 60_000;

/** Keeps the editors of sessions running while browsers look at them. */
export class EditorVisits {
  readonly #places: SessionPlaces;
  /** Of editors that somebody is connected to, or was. */
  readonly #visitedMs = new Map<string, number>();
  /** Those who come at the same time get one answer. */
  readonly #asked = new Map<string, Promise<EditorState>>();

  constructor(places: SessionPlaces) {
    this.#places = places;
  }

  /** Starts it where it does not run. */
  visit(sessionId: string): Promise<EditorState> {
    const asked = this.#asked.get(sessionId);
    if (asked !== undefined) return asked;
    this.#visitedMs.set(sessionId, performance.now());
    const asking = this.#places.visitEditor(sessionId).finally(() => this.#asked.delete(sessionId));
    this.#asked.set(sessionId, asking);
    return asking;
  }

  /** Answers when it runs, or will not. For those who have no page to wait on. */
  async awaitRunning(sessionId: string, isOver: () => boolean): Promise<EditorState> {
    const deadlineMs = performance.now() + startLimitMs;
    for (;;) {
      const state = await this.visit(sessionId);
      const isComing = state.state === 'starting' || state.state === 'stopped';
      if (!isComing || isOver() || performance.now() > deadlineMs) return state;
      await sleep(askEveryMs);
    }
  }

  /** Called again and again while somebody is connected. */
  keep(sessionId: string): void {
    const visitedMs = this.#visitedMs.get(sessionId) ?? -Infinity;
    if (performance.now() - visitedMs < keepEditorMs) return;
    // A session that cannot be asked now shows that to the next visitor.
    this.visit(sessionId).catch(() => undefined);
  }
}
