/** One at a time, in the order they came, and nobody waits beyond a deadline. */
export class Turns {
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  get busy(): boolean {
    return this.#busy;
  }

  /** True when it is the caller's turn; false when the deadline (of `performance.now()`) or an abort came first. */
  take(deadline: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    if (!this.#busy) {
      this.#busy = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const settle = (isTurn: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        resolve(isTurn);
      };
      const proceed = () => settle(true);
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        settle(false);
      };
      const timer = setTimeout(leave, Math.max(0, deadline - performance.now()));
      signal?.addEventListener('abort', leave);
      this.#waiting.push(proceed);
    });
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }
}
