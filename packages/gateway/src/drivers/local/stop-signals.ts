import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '../driver.ts';
import { factsOf, type ProcessFacts, signal } from './process-table.ts';

/**
 * Stops processes where there is no freezer. Looks again until all stand still, because one may be born while the others
 * are being stopped.
 */
export async function stopAll(members: () => ProcessFacts[]): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const moving = members().filter(({ state }) => state !== 'T');
    if (moving.length === 0) return;
    // Each stands still before its children do, or a shell would see its command stop and take the terminal back.
    for (const process of moving) {
      signal(process, 'SIGSTOP');
      await untilStill(process);
    }
  }
  continueAll(members);
  throw new DriverError('The sandbox could not be paused: its processes did not stop; try again');
}

/** Children first, so that no parent sees one that stands still. What a user had stopped goes on too. */
export function continueAll(members: () => ProcessFacts[]): void {
  for (const process of members().reverse()) signal(process, 'SIGCONT');
}

/** One that waits for a disk takes longer, and is looked at again in the next round. */
async function untilStill({ pid, startTime }: ProcessFacts): Promise<void> {
  for (let waits = 0; waits < 100; waits += 1) {
    const facts = factsOf(pid);
    if (facts === undefined || facts.state === 'T' || facts.startTime !== startTime) return;
    await delay(1);
  }
}
