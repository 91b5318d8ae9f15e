/** Bytes that may be held at once by all who share it. Whoever asks first comes first. */
export class ByteBudget {
  readonly #waiting: { bytes: number; begin: () => void }[] = [];
  #freeBytes: number;

  constructor(limitBytes: number) {
    this.#freeBytes = limitBytes;
  }

  /** Does the work when there is room for it. Rejects when it is aborted while it waits. */
  async use<Result>(bytes: number, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#room(bytes, signal);
    try {
      return await work();
    } finally {
      this.#freeBytes += bytes;
      this.#admit();
    }
  }

  #room(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason as Error);
        this.#admit();
      };
      const entry = {
        bytes,
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(entry);
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next && next.bytes <= this.#freeBytes; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#freeBytes -= next.bytes;
      next.begin();
    }
  }
}
