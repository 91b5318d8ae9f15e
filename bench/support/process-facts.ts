import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const bytesPerMegabyte = 1_000_000;

/** Peak memory of a process from now on, above what it has now. */
export function watchMemory(pid: number): { growthMegabytes(): number } {
  try {
    // 5 sets the kernel's own record of the peak back. Where that is refused the record is older and so higher.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The figure is then an upper bound.
  }
  const before = residentMegabytes(pid);
  return { growthMegabytes: () => statusMegabytes(pid, 'VmHWM') - before };
}

export function residentMegabytes(pid: number): number {
  return statusMegabytes(pid, 'VmRSS');
}

export function openHandles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Processes that have a text in their environment: all that were started in one place, whoever their parent is. */
export function processesWith(text: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readQuietly(`/proc/${pid}/environ`).includes(text)).length;
}

function statusMegabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )?.[1];
  return (Number(kilobytes) * 1024) / bytesPerMegabyte;
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
