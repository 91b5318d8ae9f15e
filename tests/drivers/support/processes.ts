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
  const candidates = processesOf(id).filter(isServer);
  // A child has the server's argv until it has become another program.
  const found = candidates.filter((pid) => !candidates.includes(parentOf(pid)));
  if (found.length !== 1) throw new Error(`found ${found.length} servers of ${id}`);
  return found[0]!;
}

/** The first process of the sandbox, with which all others end. Undefined without a process namespace. */
export function firstOf(id: string): number | undefined {
  return processesOf(id).find((pid) => /^NSpid:.*\s1$/m.test(read(pid, 'status')));
}

/** Ends each of them; one that ended with another before its turn came is fine. */
export function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
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

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(read(pid, 'status'))?.[1]);
}
