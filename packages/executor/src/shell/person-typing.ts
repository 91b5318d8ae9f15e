/** What ends a line at the prompt, each followed by another prompt: Enter, Ctrl-C, Ctrl-D. */
const lineEnds = /[\r\n\x03\x04]/;

/** Whether a person is at a shell's keyboard: what its prompt echoes of their keys is nobody's output. */
export class PersonTyping {
  #hasTyped = false;
  /** Ended, and not yet followed by a prompt: keys may come before the shell gets to read them. */
  #lines = 0;
  #isInLine = false;

  /** In the life of this shell. */
  get hasTyped(): boolean {
    return this.#hasTyped;
  }

  get isTyping(): boolean {
    return this.#lines > 0 || this.#isInLine;
  }

  type(data: string | Uint8Array): void {
    const pieces = Buffer.from(data).toString('latin1').split(lineEnds);
    this.#hasTyped = true;
    this.#lines += pieces.length - 1;
    this.#isInLine = pieces.at(-1) !== '' || (pieces.length === 1 && this.#isInLine);
  }

  /** A prompt follows a line. After a command of an agent: its program has read what was typed meanwhile. */
  onPrompt(isAfterAgent: boolean): void {
    this.#lines = isAfterAgent ? 0 : Math.max(0, this.#lines - 1);
  }

  /** An agent's command takes the place of what stands at the prompt. */
  clear(): void {
    this.#lines = 0;
    this.#isInLine = false;
  }
}
