import type { CommandRun } from './command-run.ts';
import { runLine } from './init-script.ts';

/** How long a shell may take to begin what was typed, each time it is typed. */
const limitsMs = [300, 700, 1_500];
/** From a Ctrl-C to the prompt that follows it: what is typed before that may be swallowed. */
const promptMs = 100;
/** A shell that is awake may have read the line and be about to begin, only slowly: Ctrl-C would hit the command. */
const awakeLimitMs = 2_000;
const interruptKey = '\x03';

export interface TakeUpHost {
  write(data: string): void;
  hasTaken(run: CommandRun): boolean;
  /** The terminal is the shell's own: no program and nobody's prompt command is in front of it. */
  isInFront(): boolean;
  /** It waits for something to be typed. */
  isAtRest(): boolean;
  /** The run was cancelled and will not be taken up. */
  drop(run: CommandRun): void;
  /** The shell does not listen. */
  replace(): void;
}

/**
 * Sees to it that a shell begins what was typed. A typed line can get lost: Ctrl-C empties the terminal's input, a
 * person may have left a quote open. It is typed again, which the shell recognises; and a shell that does not even
 * take that is replaced.
 */
export class TakeUp {
  readonly #host: TakeUpHost;
  #handedOverAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: TakeUpHost) {
    this.#host = host;
  }

  handOver(run: CommandRun): void {
    this.#handedOverAt = performance.now();
    this.#type(run, 0);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #type(run: CommandRun, attempt: number): void {
    this.#host.write(runLine);
    this.#check(run, attempt);
  }

  #check(run: CommandRun, attempt: number): void {
    this.#after(limitsMs[attempt] as number, run, () => {
      const isPatient = performance.now() - this.#handedOverAt < awakeLimitMs;
      if (!this.#host.isInFront() || (isPatient && !this.#host.isAtRest())) return this.#check(run, attempt);
      if (run.isCancelled) return this.#host.drop(run);
      if (attempt === limitsMs.length - 1) return this.#host.replace();
      this.#host.write(interruptKey);
      this.#after(promptMs, run, () => this.#type(run, attempt + 1));
    });
  }

  #after(delayMs: number, run: CommandRun, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (run.end === undefined && !this.#host.hasTaken(run)) act();
    }, delayMs);
  }
}
