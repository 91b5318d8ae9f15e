import { foregroundGroup } from '../processes/foreground.ts';
import { kill } from '../processes/kill.ts';
import type { CommandRun } from './command-run.ts';
import type { Shell } from './shell.ts';

/** How long a command may take to end in good order, at each step. */
const politeMs = 500;

/** Ends the command that runs in a shell: first as a person would, then by force. Returns when it has ended. */
export async function interrupt(shell: Shell, run: CommandRun): Promise<void> {
  run.isCancelled = true;
  shell.write('\x03');
  if ((await run.wait({ timeoutMs: politeMs })) === 'ended') return;
  signalForeground(shell, 'SIGTERM');
  if ((await run.wait({ timeoutMs: politeMs })) === 'ended') return;
  signalForeground(shell, 'SIGKILL');
  if ((await run.wait({ timeoutMs: politeMs })) === 'ended') return;
  // The shell itself is what runs, in a loop that ignores every signal but this one.
  kill(shell.pid, 'SIGKILL');
  await run.wait({ timeoutMs: politeMs });
}

function signalForeground(shell: Shell, signal: 'SIGTERM' | 'SIGKILL'): void {
  const group = foregroundGroup(shell.pid);
  if (group !== undefined && group !== shell.pid) kill(-group, signal);
}
