import type { IncomingMessage } from 'node:http';

export type Room = 'free' | 'own-share-full' | 'all-full';

/** How many bytes of bodies that are still arriving may be in memory at once: of all clients, and of each of them. */
export class BodyBudget {
  readonly #limitBytes: number;
  readonly #shareBytes: number;
  readonly #shares = new Map<string, number>();
  #heldBytes = 0;

  constructor(limitBytes: number, shareBytes: number) {
    this.#limitBytes = limitBytes;
    this.#shareBytes = shareBytes;
  }

  /** Only what is `free` is held, and has to be released. */
  hold(client: string, bytes: number): Room {
    const share = (this.#shares.get(client) ?? 0) + bytes;
    if (share > this.#shareBytes) return 'own-share-full';
    if (this.#heldBytes + bytes > this.#limitBytes) return 'all-full';
    this.#heldBytes += bytes;
    this.#shares.set(client, share);
    return 'free';
  }

  release(client: string, bytes: number): void {
    this.#heldBytes -= bytes;
    const share = (this.#shares.get(client) ?? 0) - bytes;
    if (share > 0) this.#shares.set(client, share);
    else this.#shares.delete(client);
  }
}

/** Who it is as far as the request itself says: that the credential is good has been seen before its body is read. */
export function clientOf({ headers, socket }: IncomingMessage): string {
  const { authorization, cookie } = headers;
  const key = headers['x-api-key'] ?? headers['x-session-api-key'];
  return String(authorization ?? key ?? cookie ?? socket.remoteAddress);
}
