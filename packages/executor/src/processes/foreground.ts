import { readFileSync, readlinkSync } from 'node:fs';

/**
 * The process group that owns the terminal of a shell now; the shell's own when it waits at its prompt. Undefined for one
 * that is gone or about to go.
 */
export function foregroundGroup(shellPid: number): number | undefined {
  const [state, , , session, , front] = statOf(shellPid);
  const group = Number(front);
  // A shell that leaves gives the terminal back to who started it.
  const isLeaving = state === 'Z' || (front === session && group !== shellPid);
  return group > 0 && !isLeaving ? group : undefined;
}

/**
 * Whether the shell sleeps with the terminal its own, and not for a child that it has only just forked: so it is when it
 * waits at its prompt. One that woke up meanwhile, and may sleep again elsewhere, was not seen at rest.
 */
export function isShellAtRest(shellPid: number): boolean {
  const sleep = sleepOf(shellPid);
  const isInFront = foregroundGroup(shellPid) === shellPid;
  const waits = sleepsIn(shellPid).startsWith('do_wait');
  return sleep !== undefined && isInFront && !waits && sleepOf(shellPid) === sleep;
}

/**
 * Whether something that is not the shell's own prompt has the terminal. `mayBeAtWork`: it may also be the shell itself,
 * which is in front between two programs of a loop, but does not rest then. False for a shell that has just died.
 */
export function isTerminalTaken(shellPid: number, mayBeAtWork: boolean): boolean {
  const group = foregroundGroup(shellPid);
  if (group === shellPid) return mayBeAtWork && !isShellAtRest(shellPid);
  return group !== undefined;
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

/** From the third field on; empty for a process that is gone. */
function statOf(pid: number): string[] {
  try {
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return [];
  }
}

/** Which of its sleeps this is; undefined when it does not sleep. */
function sleepOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return /^State:\s+S/m.test(status) ? `${/^voluntary_ctxt_switches:.*/m.exec(status)}` : undefined;
  } catch {
    return undefined;
  }
}

/** Where in the kernel; empty where one may not look. */
function sleepsIn(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/wchan`, 'utf8');
  } catch {
    return '';
  }
}

function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}
