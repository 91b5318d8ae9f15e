/** A terminal of the editor's with a shell in it, as far as the editor tells what happens there. */
export interface EditorTerminal {
  /** -1 while it is unknown. */
  readonly pid: number;
  /** Where the shell is, where it tells. */
  readonly directory: string | undefined;
  /** Whether the shell reports what runs in it. */
  readonly isIntegrated: boolean;
  /** Resolves when the shell reports, or has been given enough time to. */
  ready(): Promise<void>;
  submit(line: string): void;
  write(text: string): void;
  show(): void;
  close(): void;
}

export interface EditorTerminalEvents {
  /** Something began to run; what it prints has to be read at once. */
  onStart(execution: EditorExecution): void;
  onEnd(execution: EditorExecution, exitCode: number | undefined): void;
  onClosed(exitCode: number | undefined): void;
}

/** One thing that runs in the terminal: the same object from its start to its end. */
export interface EditorExecution {
  read(): AsyncIterable<string>;
}

export interface EditorTerminalRequest {
  cwd: string;
  events: EditorTerminalEvents;
}
