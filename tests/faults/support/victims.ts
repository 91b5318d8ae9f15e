import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { argvOf, firstOf, processesOf, read, serverOf } from '../../drivers/support/processes.ts';
import type { KeptGateway } from './kept-gateway.ts';

export const faultKinds = ['gateway', 'server', 'sandbox'] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  kind: FaultKind;
  /** Undefined for the gateway, which is everybody's. */
  sessionId: string | undefined;
  pid: number;
  /** The process was there at the first time, and gone at the second. */
  atMs: number;
  goneMs: number;
}

const findLimitMs = 30_000;
const deathLimitMs = 10_000;

/** Finds the right process, kills it, and sees it gone. */
export async function strike(gateway: KeptGateway, kind: FaultKind, sessionId: string): Promise<Fault> {
  const deadlineMs = performance.now() + findLimitMs;
  for (;;) {
    const pid = find(gateway, kind, sessionId);
    const born = pid === undefined ? undefined : birthOf(pid);
    if (pid !== undefined && born !== undefined) {
      const atMs = Date.now();
      process.kill(pid, 'SIGKILL');
      await gone(pid, born);
      const of = kind === 'gateway' ? undefined : sessionId;
      return { kind, sessionId: of, pid, atMs, goneMs: Date.now() };
    }
    if (performance.now() > deadlineMs) throw new Error(`There is no ${kind} of ${sessionId} to kill`);
    await delay(5);
  }
}

function find(gateway: KeptGateway, kind: FaultKind, sessionId: string): number | undefined {
  switch (kind) {
    case 'gateway': {
      const argv = argvOf(gateway.pid);
      return argv.includes('serve') && argv.includes(gateway.stateDir) ? gateway.pid : undefined;
    }
    case 'server':
      try {
        return serverOf(sessionId);
      } catch {
        // It is just being started, or being taken down with its sandbox.
        return undefined;
      }
    case 'sandbox':
      return firstOf(sessionId);
  }
}

/** All that is left of what a gateway started, the gateway itself included. */
export function processesOn(gateway: KeptGateway): { pid: number; argv: string }[] {
  // In a list of mounts a path begins at the root of its file system, which need not be the machine's.
  return processesOf(basename(dirname(gateway.stateDir))).map((pid) => {
    return { pid, argv: argvOf(pid).join(' ').slice(0, 200) };
  });
}

/** When it was started, in the kernel's time: another process with the same id has another. Undefined for the dead. */
function birthOf(pid: number): string | undefined {
  const stat = read(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

async function gone(pid: number, born: string): Promise<void> {
  const deadlineMs = performance.now() + deathLimitMs;
  while (birthOf(pid) === born) {
    if (performance.now() > deadlineMs) throw new Error(`Process ${pid} lives on after SIGKILL`);
    await delay(1);
  }
}
