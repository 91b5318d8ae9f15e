import type { TerminalSize } from './terminal.ts';

/** What ends a line at the prompt, each followed by another prompt: Enter, Ctrl-C, Ctrl-D. */
const lineEnds = /[\r\n\x03\x04]/;

/** In this time a shell that has printed its prompt begins to read what was typed ahead of it. */
const restMs = 50;

/** What is known of a person at a shell: whether they type, since that is nobody's output, and the size of their screen. */
export class PersonAtShell {
  #hasTyped = false;
  /** Ended, and not yet followed by a prompt: keys may come before the shell gets to read them. */
  #lines = 0;
  #isInLine = false;
  #timer: NodeJS.Timeout | undefined;
  /** While the terminal has it. */
  #screen: TerminalSize | undefined;

  /** Ever. */
  get hasTyped(): boolean {
    return this.#hasTyped;
  }

  get isTyping(): boolean {
    return this.#lines > 0 || this.#isInLine;
  }

  type(data: string | Uint8Array): void {
    clearTimeout(this.#timer);
    const pieces = Buffer.from(data).toString('latin1').split(lineEnds);
    this.#hasTyped = true;
    this.#lines += pieces.length - 1;
    this.#isInLine = pieces.at(-1) !== '' || (pieces.length === 1 && this.#isInLine);
  }

  /** A prompt follows a line. After a command of an agent: its program has read what was typed meanwhile. */
  onPrompt(isAfterAgent: boolean): void {
    this.#lines = isAfterAgent ? 0 : Math.max(0, this.#lines - 1);
  }

  /** Not every line has a prompt of its own, as those of a loop have not: who rests at its prompt has read them all. */
  onWaiting(isAtRest: () => boolean, rested: () => void): void {
    clearTimeout(this.#timer);
    if (this.#lines === 0) return;
    this.#timer = setTimeout(() => {
      if (!isAtRest()) return;
      this.#lines = 0;
      rested();
    }, restMs).unref();
  }

  /** Whether the terminal must be given this size; not if it has it. */
  lend(screen: TerminalSize, own: TerminalSize): boolean {
    const { cols, rows } = this.#screen ?? own;
    if (screen.cols === cols && screen.rows === rows) return false;
    this.#screen = { ...screen };
    return true;
  }

  /** Whether the terminal must be given its own size again. */
  takeSizeBack(): boolean {
    const wasLent = this.#screen !== undefined;
    this.#screen = undefined;
    return wasLent;
  }

  /** An agent's command, or another shell, takes the place of what stands at the prompt. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#lines = 0;
    this.#isInLine = false;
  }
}
