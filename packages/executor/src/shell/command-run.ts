import type { CommandOutput } from './command-output.ts';
import type { CommandRecord } from './shell-directory.ts';

/** How a command ended. A failed command is a fact, not an error. */
export interface CommandEnd {
  /** Null where nobody could tell. */
  exitCode: number | null;
  backgroundPid: number | null;
  python: string | null;
  directory: string;
  /** False when the shell never took it up: nothing was executed. */
  begun: boolean;
  /** The shell went with it, and was replaced. */
  shellEnded: boolean;
  /** The shell traced or echoed what it ran: our own report is the last line of the output. */
  traced: boolean;
  /** An interactive shell says `exit` on a line of its own as it goes. */
  saysExit: boolean;
  /** What else an agent has to be told of it. */
  note?: string;
}

/** An ordinary end, but for what is said otherwise. */
export function endOf(directory: string, exitCode: number | null, more: Partial<CommandEnd>): CommandEnd {
  return {
    backgroundPid: null,
    python: null,
    begun: true,
    shellEnded: false,
    traced: false,
    saysExit: false,
    ...more,
    directory,
    exitCode,
  };
}

/** A command from the moment it is handed to the shell until its last output was delivered. */
export class CommandRun {
  readonly n: number;
  readonly actionId: string;
  readonly command: string;
  readonly output: CommandOutput;
  end: CommandEnd | undefined;
  lastOutputAt = performance.now();
  /** Nobody wants it any more: it must not be started late. */
  isCancelled = false;
  /** How often an agent has pressed Ctrl-C. */
  interruptCount = 0;
  /** Some of its output has been delivered, so that more of it is a continuation. */
  partlyDelivered = false;
  #onChange: (() => void) | undefined;

  constructor({ n, actionId, command }: CommandRecord, output: CommandOutput) {
    this.n = n;
    this.actionId = actionId;
    this.command = command;
    this.output = output;
  }

  append(bytes: Buffer): void {
    this.lastOutputAt = performance.now();
    this.output.append(bytes);
  }

  finish(end: CommandEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.#onChange?.();
  }

  /** Resolves when the command has ended, or at the deadline, or after a silence, or on abort. */
  wait(limits: WaitLimits): Promise<WaitResult> {
    if (this.end !== undefined) return Promise.resolve('ended');
    if (limits.signal?.aborted) return Promise.resolve('aborted');
    return new Promise((resolve) => {
      const startedAt = performance.now();
      let silence: NodeJS.Timeout | undefined;
      const settle = (result: WaitResult) => {
        clearTimeout(deadline);
        clearTimeout(silence);
        limits.signal?.removeEventListener('abort', onAbort);
        this.#onChange = undefined;
        resolve(result);
      };
      const onAbort = () => settle('aborted');
      const deadline = setTimeout(() => settle('timed-out'), limits.timeoutMs);
      limits.signal?.addEventListener('abort', onAbort);
      this.#onChange = () => settle('ended');
      const { silenceMs } = limits;
      if (silenceMs === undefined) return;
      // Armed again only when it rings: output itself costs no timer.
      const watchSilence = (afterMs: number) => {
        silence = setTimeout(() => {
          const nowMs = performance.now();
          // A process that was held up for long runs its timers in another order than they were meant to.
          if (nowMs - startedAt >= limits.timeoutMs) return settle('timed-out');
          const quietMs = nowMs - Math.max(startedAt, this.lastOutputAt);
          if (quietMs >= silenceMs - 1) settle('silent');
          else watchSilence(silenceMs - quietMs);
        }, afterMs);
      };
      watchSilence(silenceMs);
    });
  }
}

export interface WaitLimits {
  timeoutMs: number;
  /** How long it may be quiet; forever when absent. */
  silenceMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type WaitResult = 'ended' | 'timed-out' | 'silent' | 'aborted';
