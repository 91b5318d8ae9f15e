import type { LiveSession } from './live-session.ts';

/** How long after its deadline an action's answer may still come. */
const graceMs = 30_000;

export interface Deadline {
  readonly signal: AbortSignal;
  close(): void;
}

/**
 * The sandbox keeps an action's deadline; this is for one that does not answer at all. One that stands still cannot
 * answer, so it has its time when it goes on.
 */
export function watchDeadline(session: LiveSession, event: Record<string, unknown>): Deadline {
  const overdue = new AbortController();
  const seconds = event['timeout'];
  if (typeof seconds !== 'number') return { signal: overdue.signal, close: () => undefined };
  let timer = setTimeout(look, seconds * 1000 + graceMs);
  return { signal: overdue.signal, close: () => clearTimeout(timer) };

  function look(): void {
    const isSteady = session.record.state === 'running' && Date.now() - session.lastChangeMs >= graceMs;
    if (isSteady || !session.isLive) overdue.abort();
    else timer = setTimeout(look, graceMs);
  }
}
