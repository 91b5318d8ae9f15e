import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endSession } from '@fairlead/executor';
import { lockSession } from '@fairlead/sandbox/server';

const lockWaitMs = 10_000;
const lockStepMs = 50;
const keptForMs = 7 * 86_400_000;

export interface SessionDirectory {
  readonly path: string;
  unlock(): void;
}

/**
 * The directory of a session, for this extension host alone. The one that had it before may be about to end: VS Code
 * starts the next at a reload without waiting for it.
 */
export async function claimSessionDirectory(root: string, sessionId: string): Promise<SessionDirectory> {
  const path = join(root, sessionId);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const giveUpAtMs = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return { path, unlock: lockSession(path) };
    } catch (error) {
      if (performance.now() > giveUpAtMs) throw error;
      await delay(lockStepMs);
    }
  }
}

/**
 * After an extension host that was killed: ends the processes that it left, and removes what sessions that nobody has come
 * back to for long have written.
 */
export async function tidySessions(root: string, nowMs: number): Promise<void> {
  for (const name of namesIn(root)) {
    const path = join(root, name);
    const unlock = tryLock(path);
    // In use, by this window or another.
    if (unlock === undefined) continue;
    if (existsSync(join(path, 'shells'))) {
      await endSession(path, {});
      rmSync(join(path, 'shells'), { recursive: true, force: true });
    }
    if (nowMs - lastUsedMs(path) > keptForMs) rmSync(path, { recursive: true, force: true });
    unlock();
  }
}

function tryLock(path: string): (() => void) | undefined {
  try {
    return lockSession(path);
  } catch {
    return undefined;
  }
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

function lastUsedMs(path: string): number {
  const stats = statSync(join(path, 'journal.jsonl'), { throwIfNoEntry: false }) ?? statSync(path);
  return stats.mtimeMs;
}
