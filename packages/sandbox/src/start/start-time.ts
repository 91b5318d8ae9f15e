import { readFileSync } from 'node:fs';

/** Tells a process from a later one with the same id; empty when there is none. */
export function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold blanks; the time is field 22, the 20th after it.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Dead, and not yet waited for.
    return state === 'Z' ? '' : (fields[18] ?? '');
  } catch {
    return '';
  }
}
