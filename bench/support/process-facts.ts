import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

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

/** Memory of its own, and its part of what it shares with others (PSS). */
export function proportionalMegabytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1024) / bytesPerMegabyte;
}

export function openHandles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Processes that have a text in their environment: all that were started in one place, whoever their parent is. */
export function processesWith(text: string): number {
  return allPids().filter((pid) => readQuietly(`/proc/${pid}/environ`).includes(text)).length;
}

/**
 * The processes of a gateway's sandboxes by session id: those inside have their session's directory among their mounts,
 * and what holds a sandbox from outside has it in its arguments.
 */
export function sandboxProcesses(stateDir: string): Map<string, number[]> {
  // As it stands in the mounts: from the root of the file system, which need not be the machine's.
  const sessionDirectory = new RegExp(
    `${basename(dirname(stateDir))}/${basename(stateDir)}/sessions/(\\w+)/`,
  );
  const found = allPids().map((pid) => {
    const texts = ['mountinfo', 'cmdline'].map((name) => readQuietly(`/proc/${pid}/${name}`));
    return { pid, id: sessionDirectory.exec(texts.join('\n'))?.[1] };
  });
  const inSandboxes = found.filter(
    (process): process is { pid: number; id: string } => process.id !== undefined,
  );
  const grouped = Map.groupBy(inSandboxes, ({ id }) => id);
  return new Map([...grouped].map(([id, processes]) => [id, processes.map(({ pid }) => pid)]));
}

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
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
