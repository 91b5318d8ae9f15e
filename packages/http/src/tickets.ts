import { randomBytes } from 'node:crypto';

export const ticketLifetimeSeconds = 30;
const maximumOpen = 1000;

/** Browsers cannot set headers everywhere: a ticket stands for a key, once and for a short time. */
export class Tickets<Value> {
  readonly #open = new Map<string, { value: Value; expiryMs: number }>();

  issue(value: Value, nowMs = Date.now()): string {
    for (const [ticket, { expiryMs }] of this.#open) {
      if (expiryMs > nowMs && this.#open.size < maximumOpen) break;
      this.#open.delete(ticket);
    }
    const ticket = randomBytes(24).toString('base64url');
    this.#open.set(ticket, { value, expiryMs: nowMs + ticketLifetimeSeconds * 1000 });
    return ticket;
  }

  /** What the ticket was issued for; undefined for one that is unknown, used or too old. */
  redeem(ticket: string, nowMs = Date.now()): Value | undefined {
    const found = this.#open.get(ticket);
    this.#open.delete(ticket);
    return found !== undefined && found.expiryMs > nowMs ? found.value : undefined;
  }
}
