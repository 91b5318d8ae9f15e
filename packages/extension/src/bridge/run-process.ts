import { readFileSync } from 'node:fs';
import { isAlive } from '../is-alive.ts';

export interface RunProcess {
  pid: number | null;
  processStart: string | null;
}

/** When a process began, as Linux counts it; null where the system does not tell. */
export function processStart(pid: number): string | null {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may have any character in it.
    return facts.slice(facts.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Whether it is still there, and not another one that was given its id. */
export function isRunning({ pid, processStart: start }: RunProcess): boolean {
  return pid !== null && isAlive(pid) && (start === null || processStart(pid) === start);
}
