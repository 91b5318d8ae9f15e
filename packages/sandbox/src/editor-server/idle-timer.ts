const ticksPerTime = 60;

/** Counts ticks, not the time: what was frozen meanwhile has not been left alone. */
export class IdleTimer {
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;

  constructor(idleSeconds: number, onIdle: () => void) {
    this.#timer = setInterval(
      () => {
        this.#ticks += 1;
        if (this.#ticks <= ticksPerTime) return;
        this.stop();
        onIdle();
      },
      (idleSeconds * 1000) / ticksPerTime,
    );
    this.#timer.unref();
  }

  renew(): void {
    this.#ticks = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
