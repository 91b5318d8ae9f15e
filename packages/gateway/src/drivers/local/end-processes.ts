import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '../driver.ts';
import type { FoundSandbox } from './find-sandboxes.ts';
import { isAlive, type ProcessFacts, signal } from './process-table.ts';

/** For the server to answer what runs, and to end its session. */
const orderlyEndMs = 3_000;
const killTimeoutMs = 10_000;

/** Ends the processes of a sandbox, which must not stand still, and resolves when none is left. */
export async function endProcesses(
  find: () => FoundSandbox | undefined,
  membersOf: (sandbox: FoundSandbox | undefined) => ProcessFacts[],
): Promise<void> {
  const first = find()?.first;
  if (first !== undefined) {
    signal(first, 'SIGTERM');
    await waitUntil(() => !isAlive(first), orderlyEndMs);
  }
  // Looks again after each round: a sandbox that was being made may have got its first process meanwhile.
  let left: ProcessFacts[] = [];
  const isEmpty = await waitUntil(() => {
    const sandbox = find();
    left = [sandbox?.first, sandbox?.monitor, ...membersOf(sandbox)].filter(
      (process) => process !== undefined,
    );
    for (const process of left) signal(process, 'SIGKILL');
    return left.length === 0;
  }, killTimeoutMs);
  if (isEmpty) return;
  const list = left.map(({ pid, state }) => `${pid} (${state})`).join(', ');
  throw new DriverError(
    `The sandbox cannot be ended: the kernel holds its processes ${list}; try again later`,
  );
}

async function waitUntil(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  for (let pauseMs = 2; !isTrue(); pauseMs = Math.min(pauseMs * 2, 50)) {
    if (performance.now() > deadlineMs) return false;
    await delay(pauseMs);
  }
  return true;
}
