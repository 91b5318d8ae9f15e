/** A terminal with a shell in it. The shell logic stands on this alone; tmux and a plain pty implement it. */
export interface Terminal {
  write(data: string | Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Stops and restarts the flow of output, so that a slow reader slows the program, not the memory. */
  pause(): void;
  resume(): void;
  /** Asks whether there is still a process in the terminal; `onExit` follows if not. */
  verify(): void;
  /** Kills the shell and frees the terminal. Safe to call twice. */
  close(): Promise<void>;
}

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** How the terminal's first process ended. */
export interface TerminalExit {
  /** As a shell would say it: 128 + n for a signal. `null` where nobody could tell. */
  code: number | null;
}

export interface TerminalEvents {
  onData(chunk: Buffer): void;
  onExit(exit: TerminalExit): void;
}

export interface TerminalRequest {
  name: string;
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  size: TerminalSize;
}

/** Makes terminals of one kind. A factory whose terminals outlive the process can also find them again. */
export interface TerminalFactory {
  readonly kind: 'tmux' | 'pty';
  open(request: TerminalRequest, events: TerminalEvents): Promise<Terminal>;
  /** A terminal that an earlier process left under this name, with the text it shows; undefined without one. */
  adopt(name: string, events: TerminalEvents): Promise<AdoptedTerminal | undefined>;
  close(): Promise<void>;
}

export interface AdoptedTerminal {
  terminal: Terminal;
  /** Scroll-back and screen as text, wrapped lines joined, without the empty rest of the screen. */
  capture(): Promise<string>;
}
