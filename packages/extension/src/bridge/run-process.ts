import { startTime } from '@fairlead/sandbox/server';
import { isAlive } from '../is-alive.ts';

export interface RunProcess {
  pid: number | null;
  processStart: string | null;
}

/** When a process began; null where the system does not tell. */
export function processStart(pid: number): string | null {
  return startTime(pid) || null;
}

/** Whether it is still there, and not another one that was given its id. */
export function isRunning({ pid, processStart: start }: RunProcess): boolean {
  return pid !== null && isAlive(pid) && (start === null || processStart(pid) === start);
}
