import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../../gateway/support/wait.ts';

const endTimeoutMs = 10_000;

/** Whatever was started with a home in the directory must end by itself now; what does not is ended, and told. */
export async function untilEnded(directory: string): Promise<void> {
  const isOver = () => processesOf(directory).length === 0;
  await until(isOver, 'the processes of the windows to end', endTimeoutMs).catch((error: Error) => {
    const left = processesOf(directory);
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    const commands = left.map(({ pid, command }) => `${pid} ${command}`).join('\n');
    throw new Error(`${error.message}:\n${commands}`, { cause: error });
  });
}

/** False also for one that has ended and is not reaped yet. */
export function isRunning(pid: number): boolean {
  return readProcess(pid, 'cmdline') !== '';
}

function processesOf(directory: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => readProcess(pid, 'environ').includes(`HOME=${directory}/`))
    .map((pid) => ({ pid, command: readProcess(pid, 'cmdline').replaceAll('\0', ' ') }));
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
