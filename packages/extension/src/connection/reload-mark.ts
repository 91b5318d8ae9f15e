import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../is-alive.ts';
import type { Kept, KeptState } from '../kept.ts';

/** A window that is loaded anew is back by then; one that comes later was closed, and is opened. */
const reloadMs = 60_000;
/** How long the extension host of before a reload may go on when the one after it has begun: a server waits for its page. */
const lingersMs = 30_000;
const lookAgainMs = 250;

/** The workspace has a window that is connected, and this process is its extension host. */
export function claimConnection(kept: KeptState): void {
  claim(kept).set(process.pid);
}

export function giveUpConnection(kept: KeptState): void {
  if (claim(kept).get() === process.pid) claim(kept).set(undefined);
}

/** Said when the extension host ends with the window connected. */
export function markReload(kept: KeptState): void {
  mark(kept).set(Date.now());
  giveUpConnection(kept);
}

/** `connected`: in another window that shows the workspace too, or by the user in this one meanwhile. */
export type Before = 'reloaded' | 'connected' | 'nothing';

/** What was with this workspace when this extension host began. */
export async function whatWasBefore(kept: KeptState): Promise<Before> {
  const deadlineMs = performance.now() + lingersMs;
  for (;;) {
    // In this order: who ends says so before it gives up its claim.
    const pid = claim(kept).get();
    if (takeMark(kept)) return 'reloaded';
    if (typeof pid !== 'number' || !isAlive(pid)) return 'nothing';
    if (pid === process.pid || performance.now() > deadlineMs) return 'connected';
    await delay(lookAgainMs, undefined, { ref: false });
  }
}

/** A window has just ended connected, and is not back yet. */
export function isMarked(kept: KeptState): boolean {
  const markedAt = mark(kept).get();
  return typeof markedAt === 'number' && Date.now() - markedAt < reloadMs;
}

/** True for one who finds it first: it is told once. */
export function takeMark(kept: KeptState): boolean {
  const isThere = isMarked(kept);
  if (mark(kept).get() !== undefined) mark(kept).set(undefined);
  return isThere;
}

function mark(kept: KeptState): Kept {
  return kept('was-connected');
}

function claim(kept: KeptState): Kept {
  return kept('connected');
}
