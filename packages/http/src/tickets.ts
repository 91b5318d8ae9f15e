import { randomBytes } from 'node:crypto';

export const ticketLifetimeSeconds = 30;
const maximumPerHolder = 1000;

interface Open<Value> {
  value: Value;
  expiryMs: number;
}

/**
 * Browsers cannot set headers everywhere: a ticket stands for a key, once and for a short time. Whoever asks for too many
 * loses the oldest; those of other holders stay.
 */
export class Tickets<Value> {
  readonly #holderOf: (value: Value) => string;
  /** In the order in which they end. */
  readonly #open = new Map<string, Open<Value>>();
  readonly #byHolder = new Map<string, Set<string>>();

  constructor(holderOf: (value: Value) => string = () => 'everybody') {
    this.#holderOf = holderOf;
  }

  issue(value: Value, nowMs = Date.now()): string {
    for (const [ticket, { expiryMs }] of this.#open) {
      if (expiryMs > nowMs) break;
      this.#take(ticket);
    }
    const holder = this.#holderOf(value);
    const [oldest] = this.#byHolder.get(holder) ?? [];
    if (oldest !== undefined && this.#byHolder.get(holder)!.size >= maximumPerHolder) this.#take(oldest);
    const ticket = randomBytes(24).toString('base64url');
    this.#open.set(ticket, { value, expiryMs: nowMs + ticketLifetimeSeconds * 1000 });
    this.#byHolder.set(holder, (this.#byHolder.get(holder) ?? new Set()).add(ticket));
    return ticket;
  }

  /** What the ticket was issued for; undefined for one that is unknown, used or too old. */
  redeem(ticket: string, nowMs = Date.now()): Value | undefined {
    const found = this.#take(ticket);
    return found !== undefined && found.expiryMs > nowMs ? found.value : undefined;
  }

  #take(ticket: string): Open<Value> | undefined {
    const found = this.#open.get(ticket);
    if (found === undefined) return undefined;
    this.#open.delete(ticket);
    const holder = this.#holderOf(found.value);
    const theirs = this.#byHolder.get(holder);
    theirs?.delete(ticket);
    if (theirs?.size === 0) this.#byHolder.delete(holder);
    return found;
  }
}
