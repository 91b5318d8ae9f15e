import { randomBytes } from 'node:crypto';

export const ticketLifetimeSeconds = 30;
const maximumOpen = 1000;

/** Browsers cannot set headers on a WebSocket: a ticket stands for the key, once and for a short time. */
export class Tickets {
  readonly #expiryMs = new Map<string, number>();

  issue(nowMs = Date.now()): string {
    for (const [ticket, expiryMs] of this.#expiryMs) {
      if (expiryMs > nowMs && this.#expiryMs.size < maximumOpen) break;
      this.#expiryMs.delete(ticket);
    }
    const ticket = randomBytes(24).toString('base64url');
    this.#expiryMs.set(ticket, nowMs + ticketLifetimeSeconds * 1000);
    return ticket;
  }

  redeem(ticket: string, nowMs = Date.now()): boolean {
    const expiryMs = this.#expiryMs.get(ticket);
    return this.#expiryMs.delete(ticket) && expiryMs !== undefined && expiryMs > nowMs;
  }
}
