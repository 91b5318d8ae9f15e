import type { IncomingHttpHeaders } from 'node:http';

const lifetimeMs = 1000;
const limit = 4096;

/**
 * Who was let in a moment ago is not asked again for each of the hundred files of a page. What is taken from somebody
 * counts after this moment.
 */
export class RecentAdmissions<Admission> {
  readonly #nowMs: () => number;
  /** Oldest first. */
  readonly #recent = new Map<string, { admission: Admission; untilMs: number }>();

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** `check` rejects for those who are not let in; they are asked each time. */
  async admit(
    sessionId: string,
    headers: IncomingHttpHeaders,
    check: () => Promise<Admission>,
  ): Promise<Admission> {
    const key = proofOf(sessionId, headers);
    const recent = this.#recent.get(key);
    if (recent !== undefined && this.#nowMs() < recent.untilMs) return recent.admission;
    const admission = await check();
    this.#recent.delete(key);
    this.#recent.set(key, { admission, untilMs: this.#nowMs() + lifetimeMs });
    this.#dropOld();
    return admission;
  }

  /** For a session that is gone, or somebody who has logged out. */
  clear(): void {
    this.#recent.clear();
  }

  #dropOld(): void {
    const nowMs = this.#nowMs();
    for (const [key, { untilMs }] of this.#recent) {
      if (nowMs < untilMs && this.#recent.size <= limit) return;
      this.#recent.delete(key);
    }
  }
}

/** All that a decision can depend on. */
export function proofOf(sessionId: string, headers: IncomingHttpHeaders): string {
  const { cookie, authorization } = headers;
  return JSON.stringify([
    sessionId,
    cookie,
    authorization,
    headers['x-api-key'],
    headers['x-session-api-key'],
  ]);
}
