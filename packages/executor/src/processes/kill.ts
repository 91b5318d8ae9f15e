/** Signals a process, or with a negative number its group. One that has ended by itself is as good. */
export function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  // A shell that has not said its id has none: 0 would be this process's own group, and -1 everybody.
  if (Math.abs(pid) <= 1) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}
