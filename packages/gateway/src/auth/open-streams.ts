import type { Identity } from './identity.ts';

const checkEveryMs = 5_000;

interface OpenStream {
  identity: Identity;
  end(): void;
}

/**
 * What stays open behind the request that was let in: watchers and terminals. Each is ended when what let it in is valid
 * no longer. It is looked for now and then, because keys may be revoked by another process.
 */
export class OpenStreams {
  readonly #open = new Set<OpenStream>();
  readonly #isValid: (identity: Identity) => Promise<boolean>;
  readonly #log: (line: string) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(
    isValid: (identity: Identity) => Promise<boolean>,
    log: (line: string) => void,
    everyMs = checkEveryMs,
  ) {
    this.#isValid = isValid;
    this.#log = log;
    this.#timer = setInterval(() => void this.check(), everyMs).unref();
  }

  /** Returns what is to be called when the stream has ended by itself. */
  add(identity: Identity, end: () => void): () => void {
    const stream = { identity, end };
    this.#open.add(stream);
    return () => void this.#open.delete(stream);
  }

  /** At once. */
  async check(): Promise<void> {
    const validity = new Map<string, Promise<boolean>>();
    await Promise.all(
      [...this.#open].map(async (stream) => {
        const { owner, keyId, loginHash } = stream.identity;
        const name = JSON.stringify([owner.id, keyId, loginHash]);
        if (!validity.has(name)) validity.set(name, this.#look(stream.identity));
        if ((await validity.get(name)) || !this.#open.delete(stream)) return;
        stream.end();
      }),
    );
  }

  close(): void {
    clearInterval(this.#timer);
    this.#open.clear();
  }

  /** A store that cannot be read revokes nothing. */
  async #look(identity: Identity): Promise<boolean> {
    try {
      return await this.#isValid(identity);
    } catch (error) {
      this.#log(`cannot look whether a key is valid still: ${(error as Error).message}`);
      return true;
    }
  }
}
