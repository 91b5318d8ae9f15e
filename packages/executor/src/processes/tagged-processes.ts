import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { kill } from './kill.ts';

/** Kills every process that was started with `variable=value`, and waits until none is left. */
export async function killTagged(variable: string, value: string): Promise<void> {
  const entry = entryOf(variable, value);
  // Each round catches what was forked while the one before it looked; a handful is plenty.
  for (let round = 0; round < 100; round += 1) {
    const pids = findTagged(entry);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid, 'SIGKILL');
    await delay(5);
  }
}

export function isTagged(pid: number, variable: string, value: string): boolean {
  return hasEntry(pid, entryOf(variable, value));
}

function entryOf(variable: string, value: string): Buffer {
  return Buffer.from(`${variable}=${value}\0`);
}

function findTagged(entry: Buffer): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && hasEntry(pid, entry));
}

function hasEntry(pid: number, entry: Buffer): boolean {
  try {
    // A dead process that nobody has waited for yet has an empty environment, and so does not count.
    return readFileSync(`/proc/${pid}/environ`).includes(entry);
  } catch {
    return false;
  }
}
