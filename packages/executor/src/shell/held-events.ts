import type { TerminalEvents, TerminalExit } from './terminal.ts';

/** What a terminal that is being taken over tells, kept until its listener knows what it is about. */
export class HeldEvents implements TerminalEvents {
  readonly #listener: TerminalEvents;
  #held: (() => void)[] | undefined = [];
  #exit: (() => void) | undefined;

  constructor(listener: TerminalEvents) {
    this.#listener = listener;
  }

  onData(chunk: Buffer): void {
    this.#tell(() => this.#listener.onData(chunk));
  }

  onExit(exit: TerminalExit): void {
    this.#exit = () => this.#listener.onExit(exit);
    this.#tell(this.#exit);
  }

  /** What was told so far is known in another way. */
  forget(): void {
    this.#held = this.#exit === undefined ? [] : [this.#exit];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const tell of held) tell();
  }

  #tell(tell: () => void): void {
    if (this.#held === undefined) tell();
    else this.#held.push(tell);
  }
}
