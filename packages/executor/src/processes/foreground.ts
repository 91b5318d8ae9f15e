import { readFileSync, readlinkSync } from 'node:fs';

/** The process group that owns the terminal of a shell now; the shell's own when it waits at its prompt. */
export function foregroundGroup(shellPid: number): number | undefined {
  try {
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    const fields = readFileSync(`/proc/${shellPid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const group = Number(fields[5]);
    return group > 0 ? group : undefined;
  } catch {
    return undefined;
  }
}

/** Which program is in front of a shell now: a process that turns into another program is another one. */
export function nameForeground(shellPid: number): string {
  const group = foregroundGroup(shellPid);
  try {
    return `${group} ${readlinkSync(`/proc/${group}/exe`)}`;
  } catch {
    return `${group}`;
  }
}
