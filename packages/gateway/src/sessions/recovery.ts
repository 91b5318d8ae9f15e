import { setTimeout as delay } from 'node:timers/promises';
import { driven } from './faults.ts';
import type { LiveSession } from './live-session.ts';

/** A server that its supervisor starts again is back within this; one that is not is wedged. */
const answerLimitMs = 15_000;
const askLimitMs = 1_000;
const pollMs = 20;
const restartWindowMs = 60_000;
const restartsAllowed = 5;

export interface RecoveryOptions {
  /** Starts the sandbox again, unless that is not called for any more when it is the session's turn. */
  restart(session: LiveSession, why: string): Promise<void>;
  /** Throws when this gateway is about to leave the sandbox to its successor. */
  refuseWhenClosing(): void;
}

/** Brings the sandbox of a session back: one attempt at a time for all who wait. False when the session has ended. */
export function recover(session: LiveSession, options: RecoveryOptions): Promise<boolean> {
  session.recovering ??= bringBack(session, options).finally(() => (session.recovering = undefined));
  return session.recovering;
}

async function bringBack(session: LiveSession, options: RecoveryOptions): Promise<boolean> {
  let deadlineMs = performance.now() + answerLimitMs;
  while (session.isLive) {
    options.refuseWhenClosing();
    if (session.record.state !== 'running') {
      // Paused, or on its way to run again.
      await session.changed;
      deadlineMs = performance.now() + answerLimitMs;
      continue;
    }
    const status = await driven(session.driver.status(session.id));
    const isAnswering = status === 'running' && (await session.runtime.isAlive(askLimitMs));
    if (!session.isRunning) continue;
    if (isAnswering) {
      await session.hub.attach(session.runtime);
      return true;
    }
    const isUsers = session.record.windowId !== null;
    // It comes back, or its driver ends the session; a window that does not answer is not ours to start again.
    if (status === 'away' || isUsers) deadlineMs = performance.now() + answerLimitMs;
    const isWedged = status === 'running' && performance.now() > deadlineMs;
    if (status === 'gone') await options.restart(session, 'its sandbox ended');
    else if (isWedged) await options.restart(session, 'its sandbox did not answer');
    else await delay(pollMs);
  }
  options.refuseWhenClosing();
  return false;
}

/** Undefined when it may be started once more; a sandbox that ends again and again is left alone. */
export function refusalToRestart(session: LiveSession): string | undefined {
  const nowMs = performance.now();
  session.restartsMs = session.restartsMs.filter((atMs) => nowMs - atMs < restartWindowMs);
  session.restartsMs.push(nowMs);
  if (session.restartsMs.length <= restartsAllowed) return undefined;
  return `${restartsAllowed + 1} times within a minute`;
}
