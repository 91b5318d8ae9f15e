import type { SessionLimits } from '@fairlead/protocol';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Controller } from './hierarchies.ts';

/** Which controller each limit needs. */
export const limitControllers: Record<keyof SessionLimits, Controller> = {
  memoryMb: 'memory',
  pids: 'pids',
  cpus: 'cpu',
};

const cpuPeriodUs = 100_000;

/** Sets what a group's controllers can enforce. */
export function setLimits(
  directory: string,
  version: 1 | 2,
  controllers: Controller[],
  limits: SessionLimits,
): void {
  const has = (controller: Controller) => controllers.includes(controller);
  if (limits.memoryMb !== undefined && has('memory')) {
    const bytes = String(limits.memoryMb * 1024 * 1024);
    // Swap is no way around the limit; not every kernel counts it.
    if (version === 2) {
      write('memory.max', bytes);
      writeIfThere('memory.swap.max', '0');
    } else {
      write('memory.limit_in_bytes', bytes);
      writeIfThere('memory.memsw.limit_in_bytes', bytes);
    }
  }
  if (limits.pids !== undefined && has('pids')) write('pids.max', String(limits.pids));
  if (limits.cpus !== undefined && has('cpu')) {
    const quota = String(Math.max(1_000, Math.round(limits.cpus * cpuPeriodUs)));
    if (version === 2) write('cpu.max', `${quota} ${cpuPeriodUs}`);
    else {
      write('cpu.cfs_period_us', String(cpuPeriodUs));
      write('cpu.cfs_quota_us', quota);
    }
  }

  function write(name: string, value: string): void {
    writeFileSync(join(directory, name), value);
  }

  function writeIfThere(name: string, value: string): void {
    if (existsSync(join(directory, name))) write(name, value);
  }
}
