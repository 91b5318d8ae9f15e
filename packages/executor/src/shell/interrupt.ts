import { foregroundGroup, isOfShell, nameForeground } from '../processes/foreground.ts';
import { kill } from '../processes/kill.ts';
import type { CommandRun } from './command-run.ts';
import type { CommandShell } from './command-shell.ts';

/** How long a command may take to end in good order, at each step. */
const politeMs = 500;
/** How long a Ctrl-C may go unheard. */
const recheckMs = 25;

/** How long a shell whose program is gone may take to say that the command has ended, rather than to go on with it. */
const shellsTurnMs = 250;

/** How often it is looked whether a Ctrl-C went to a program that was only being started. */
const rechecks = 8;

/**
 * An agent's Ctrl-C. A program that bash is just starting loses the key: it still has bash's own handler, which nobody asks
 * afterwards. If that is who got it, the program that has come of it gets it too; no other one does.
 */
export function pressInterrupt(shell: CommandShell, run: CommandRun): void {
  const pressedFor = nameForeground(shell.pid);
  // Before and after: the program may come of it just then.
  const wasOfShell = isOfShell(shell.pid);
  shell.write('\x03');
  if (wasOfShell || isOfShell(shell.pid)) recheck(rechecks);

  function recheck(left: number): void {
    const timer = setTimeout(() => {
      if (run.end !== undefined || left === 0) return;
      // The shell itself comes to the front when the program has heard the key: at its prompt nobody wants another.
      if (nameForeground(shell.pid) === pressedFor || isShellInFront(shell)) recheck(left - 1);
      else shell.write('\x03');
    }, recheckMs);
    timer.unref();
  }
}

/**
 * Ctrl-C where nothing runs. The shell loses it if its terminal gets another size in the same moment: then it is pressed
 * again, which does no harm at a prompt.
 */
export function pressAtPrompt(shell: Pick<CommandShell, 'pid' | 'write'>, run: CommandRun, left = 3): void {
  shell.write('\x03');
  const timer = setTimeout(() => {
    if (run.end === undefined && left > 0 && isShellInFront(shell)) pressAtPrompt(shell, run, left - 1);
  }, shellsTurnMs);
  timer.unref();
}

/** Ends the command that runs in a shell: first as a person would, then by force. Returns when it has ended. */
export async function interrupt(shell: CommandShell, run: CommandRun): Promise<void> {
  run.isCancelled = true;
  if (await pressUntilHeard(shell, run)) return;
  signalForeground(shell, 'SIGTERM');
  if ((await run.wait({ timeoutMs: politeMs })) === 'ended') return;
  signalForeground(shell, 'SIGKILL');
  if ((await run.wait({ timeoutMs: politeMs })) === 'ended') return;
  // The shell itself is what runs, in a loop that ignores every signal but this one.
  kill(shell.pid, 'SIGKILL');
  await run.wait({ timeoutMs: politeMs });
}

/** Presses Ctrl-C again for whatever has come to the front since. True when the command has ended. */
async function pressUntilHeard(shell: CommandShell, run: CommandRun): Promise<boolean> {
  const startedMs = performance.now();
  let pressedFor: string | undefined;
  do {
    const front = nameForeground(shell.pid);
    const mayBeOver = pressedFor !== undefined && isShellInFront(shell) && passedMs() < shellsTurnMs;
    if (front !== pressedFor && !mayBeOver) {
      shell.write('\x03');
      pressedFor = front;
    }
    if ((await run.wait({ timeoutMs: recheckMs })) === 'ended') return true;
  } while (passedMs() < politeMs);
  return false;

  function passedMs(): number {
    return performance.now() - startedMs;
  }
}

function isShellInFront({ pid }: Pick<CommandShell, 'pid'>): boolean {
  const group = foregroundGroup(pid);
  return group === undefined || group === pid;
}

function signalForeground(shell: CommandShell, signal: 'SIGTERM' | 'SIGKILL'): void {
  const group = foregroundGroup(shell.pid);
  if (group !== undefined && group !== shell.pid) kill(-group, signal);
}
