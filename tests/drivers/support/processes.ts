import { readdirSync, readFileSync } from 'node:fs';

/** Host ids of all processes of a sandbox, whatever keeps them: by its run directory in their mounts, argv or environment. */
export function processesOf(id: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => ['mountinfo', 'cmdline', 'environ'].some((name) => read(pid, name).includes(id)))
    .filter((pid) => !/^State:\s*[ZX]/m.test(read(pid, 'status')));
}

/** The sandbox server: its argv is also part of the supervisor's, and of what started that. */
export function serverOf(id: string): number {
  const isServer = (pid: number) =>
    argvOf(pid).includes('--session-dir') &&
    !/^(.*\/)?(bash|sh|bwrap|docker-init|tini)$/.test(argvOf(pid)[0] ?? '');
  const found = processesOf(id).filter(isServer);
  if (found.length !== 1) throw new Error(`found ${found.length} servers of ${id}`);
  return found[0]!;
}

/** The first process of the sandbox, with which all others end. Undefined without a process namespace. */
export function firstOf(id: string): number | undefined {
  return processesOf(id).find((pid) => /^NSpid:.*\s1$/m.test(read(pid, 'status')));
}

export function argvOf(pid: number): string[] {
  return read(pid, 'cmdline').split('\0');
}

export function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
