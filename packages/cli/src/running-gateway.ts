import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningGateway } from '@fairlead/gateway';

/** The gateway that runs on a state directory writes down where it is; one that was killed is not there any more. */
export function readRunning(stateDir: string): RunningGateway | undefined {
  try {
    const running = JSON.parse(readFileSync(join(stateDir, 'gateway.json'), 'utf8')) as RunningGateway;
    return isRunning(running.pid) ? running : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
