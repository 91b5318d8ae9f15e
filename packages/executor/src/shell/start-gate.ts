/** A shell that dies this often before it is of any use will not live. */
const attempts = 3;
/** A start-up file that takes the input away lets the shell show its prompt, and ends it there. */
const briefLifeMs = 1_000;

/** Whether the shell can be used yet, and whether it is worth starting another one. */
export class StartGate {
  #started = quietPromise();
  /** The shell that is there now has shown a prompt, and when. */
  #promptedAt: number | undefined;
  #hasServed = false;
  #failures = 0;

  get isPrompted(): boolean {
    return this.#promptedAt !== undefined;
  }

  get failures(): number {
    return this.#failures;
  }

  get hasGivenUp(): boolean {
    return this.#failures >= attempts;
  }

  /** Resolves when the shell is there with its prompt; rejects when there will be none. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  onPrompt(): void {
    this.#promptedAt ??= performance.now();
  }

  onServed(): void {
    this.#hasServed = true;
  }

  open(): void {
    this.#started.resolve();
  }

  giveUp(reason: unknown): void {
    this.#failures = attempts;
    this.#started.reject(reason);
  }

  /** Begins again after having given up. */
  reset(): void {
    this.#failures = 0;
    this.#started = quietPromise();
  }

  /** The shell is gone. Who waited for it waits for the next one. */
  onGone(exitCode: number | null): void {
    if (this.#promptedAt !== undefined) this.#started = quietPromise();
    const wasOfUse =
      this.#promptedAt !== undefined &&
      (this.#hasServed || performance.now() - this.#promptedAt > briefLifeMs);
    this.#failures = wasOfUse ? 0 : this.#failures + 1;
    this.#promptedAt = undefined;
    this.#hasServed = false;
    if (this.hasGivenUp)
      this.giveUp(
        new Error(
          `bash ended ${attempts} times before its first command (exit code ${exitCode ?? 'unknown'})`,
        ),
      );
  }
}

/** Nobody may be waiting for a shell that fails to start. */
function quietPromise(): PromiseWithResolvers<void> {
  const promise = Promise.withResolvers<void>();
  promise.promise.catch(() => {});
  return promise;
}
