import { readFileSync, readlinkSync } from 'node:fs';

/**
 * The process group that owns the terminal of a shell now; the shell's own when it waits at its prompt. Undefined for one
 * that is gone or about to go.
 */
export function foregroundGroup(shellPid: number): number | undefined {
  try {
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    const fields = readFileSync(`/proc/${shellPid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [state, , , session, , front] = fields;
    const group = Number(front);
    // A shell that leaves gives the terminal back to who started it.
    const isLeaving = state === 'Z' || (front === session && group !== shellPid);
    return group > 0 && !isLeaving ? group : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the shell itself is in front, or what it has forked and has not become another program yet. */
export function isOfShell(shellPid: number): boolean {
  const group = foregroundGroup(shellPid);
  if (group === undefined || group === shellPid) return true;
  const program = programOf(group);
  return program === undefined || program === programOf(shellPid);
}

/** Which program is in front of a shell now: a process that turns into another program is another one. */
export function nameForeground(shellPid: number): string {
  const group = foregroundGroup(shellPid);
  return `${group} ${group === undefined ? '' : programOf(group)}`;
}

function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}
