import type { RequestId } from '@fairlead/protocol';

const mostKeptCharacters = 32 * 1024 * 1024;
const mostRemembered = 10_000;
/** Of those whose reply is gone: for a client that never acknowledges anything. */
const mostDropped = 100_000;

/** The replies that a client may not have got yet, and the ids of those it has. */
export class Replies {
  readonly #kept = new Map<RequestId, string>();
  readonly #acknowledged = new Set<RequestId>();
  /** All that were not acknowledged: what was done must not be done again because its reply is gone. */
  readonly #dropped = new Set<RequestId>();
  #characters = 0;

  keep(id: RequestId, reply: string): void {
    if (reply.length > mostKeptCharacters) return this.#drop(id);
    this.#kept.set(id, reply);
    this.#characters += reply.length;
    // A client that acknowledges nothing loses its oldest.
    for (const [oldest, text] of this.#kept) {
      if (this.#characters <= mostKeptCharacters && this.#kept.size <= mostRemembered) return;
      this.#kept.delete(oldest);
      this.#characters -= text.length;
      this.#drop(oldest);
    }
  }

  #drop(id: RequestId): void {
    this.#dropped.add(id);
    if (this.#dropped.size > mostDropped) this.#dropped.delete(this.#dropped.values().next().value!);
  }

  kept(): Iterable<string> {
    return this.#kept.values();
  }

  of(id: RequestId): string | undefined {
    return this.#kept.get(id);
  }

  wasAcknowledged(id: RequestId): boolean {
    return this.#acknowledged.has(id);
  }

  wasDropped(id: RequestId): boolean {
    return this.#dropped.has(id);
  }

  acknowledge(id: RequestId): void {
    const reply = this.#kept.get(id);
    if (reply === undefined && !this.#dropped.delete(id)) return;
    this.#kept.delete(id);
    this.#characters -= reply?.length ?? 0;
    this.#acknowledged.add(id);
    if (this.#acknowledged.size > mostRemembered)
      this.#acknowledged.delete(this.#acknowledged.values().next().value!);
  }
}
