/** Longer than a shell takes from the end of a command to its next prompt. */
const doubtMs = 150;

/**
 * A command can print the shell's prompt, and with it a report of an end that has not come. One that arrives by
 * itself is therefore believed only after a moment, and the output since then is held until it is clear whose it is.
 */
export class DoubtedPrompt {
  #held: Buffer[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  begin(onTimeIsUp: () => void): void {
    if (this.#held !== undefined) return;
    this.#held = [];
    this.goOn(onTimeIsUp);
  }

  /** For another such moment. */
  goOn(onTimeIsUp: () => void): void {
    this.#timer = setTimeout(onTimeIsUp, doubtMs);
  }

  /** Whether the bytes were held. */
  hold(bytes: Buffer): boolean {
    this.#held?.push(bytes);
    return this.#held !== undefined;
  }

  /** Ends the doubt, and gives what was held. */
  end(): Buffer[] {
    clearTimeout(this.#timer);
    const held = this.#held ?? [];
    this.#held = undefined;
    return held;
  }
}
