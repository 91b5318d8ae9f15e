import type { TerminalSize } from './terminal.ts';

/** The named shells of a session, as servers and people see them. */
export interface SessionShells {
  names(): string[];
  /** The shell of that name, started if there is none. */
  open(name: string): Promise<AttachableShell>;
  /** Ends the shell and all it started; false without one of that name. */
  end(name: string): Promise<boolean>;
  /** Live terminal bytes of every shell, and whose they are. Returns how to stop. */
  onOutput(listener: (output: ShellOutput) => void): () => void;
  /** Tells which shell was ended for good. Returns how to stop. */
  onEnd(listener: (name: string) => void): () => void;
  /** Whether the process was started in one of the open shells. */
  holds(pid: number): boolean;
}

/** One shell, for a person who looks at it and types. */
export interface AttachableShell {
  readonly name: string;
  readonly cwd: string;
  /** -1 where nobody could tell. */
  readonly pid: number;
  readonly size: TerminalSize;
  /** What a person types. */
  type(data: string | Uint8Array): void;
  resize(size: TerminalSize): void;
  /** The size of the screen of a person who types here: the shell has it until the next command of an agent. */
  lend(size: TerminalSize): void;
  /** The last terminal bytes, for a person who attaches now. */
  recentOutput(): Buffer;
}

export interface ShellOutput {
  shell: string;
  /** The action whose command is running, null for a person's typing or a background job. */
  actionId: string | null;
  data: Buffer;
}
