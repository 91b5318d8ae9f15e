import type { CommandRun } from './command-run.ts';
import type { TerminalSize } from './terminal.ts';

/**
 * A shell that runs one command at a time and tells when and how each ended. An agent's session stands on this: it is
 * bash on a terminal of our own, or a terminal of the editor's.
 */
export interface CommandShell {
  readonly directory: string;
  /** -1 while nobody could tell. */
  readonly pid: number;
  readonly user: string;
  readonly host: string;
  readonly size: TerminalSize;
  /** What an agent started and what has not ended yet. */
  readonly running: CommandRun | undefined;
  /** The shell is at work on what runs; before that it may still be at its prompt. */
  readonly hasBegun: boolean;
  /** A person runs something at the prompt: the terminal is not the shell's own. */
  readonly busyWithPerson: boolean;
  /** Starts the shell, or takes over one that is left, with what it runs or has just run. */
  open(): Promise<CommandRun | undefined>;
  /** True when the shell can take a command; false when the deadline (of `performance.now()`) came first. */
  isReady(deadline: number): Promise<boolean>;
  /** Hands a command to the shell. The caller has made sure that it is ready, and that nothing runs. */
  start(actionId: string, command: string): Promise<CommandRun>;
  /** Ctrl-C at the prompt, where there is nothing to interrupt: the shell answers as it would to a person. */
  interruptPrompt(actionId: string, command: string): Promise<CommandRun>;
  write(data: string | Uint8Array): void;
  /** A person's keys: what the prompt echoes of them is nobody's output. */
  type(data: string | Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Gives it the size of a person's screen until the next command. Not while a command runs: programs heed the size. */
  lend(size: TerminalSize): void;
  /** Makes sure that a command which says nothing still has a shell to run in. */
  verify(): void;
  pause(): void;
  resume(): void;
  /** What background jobs have printed at the prompt since the last command. */
  takeIdleOutput(): Buffer;
  close(): Promise<void>;
}
