import type { SessionEvent } from '@fairlead/protocol';
import { WebSocket } from 'ws';

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

/** Somebody who watches a session, and remembers all that is told. */
export class Watcher {
  readonly socket: WebSocket;
  readonly events: SessionEvent[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: () => void = () => undefined;

  constructor(url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on('message', (data: Buffer) => {
      this.events.push(JSON.parse(String(data)) as SessionEvent);
      this.#wake();
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        this.#wake();
      });
    });
  }

  /** Resolves when what follows is live. */
  async live(): Promise<this> {
    await this.until(({ events }) => events.some(({ type }) => type === 'live'), 'the live stream');
    return this;
  }

  async until(isEnough: (watcher: this) => boolean, what: string): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, 15_000);
    while (!isEnough(this)) {
      if (isLate || this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`waited in vain for ${what}; got ${JSON.stringify(this.events).slice(-2_000)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    clearTimeout(timer);
  }

  async observed(actionId: string): Promise<void> {
    await this.until(
      () => this.of('observation').some((event) => event.actionId === actionId),
      `the observation of ${actionId}`,
    );
  }

  of<Type extends SessionEvent['type']>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  /** All that was printed, or what one action printed. */
  output(actionId?: string): string {
    return this.of('output')
      .filter((event) => actionId === undefined || event.actionId === actionId)
      .map(({ data }) => data)
      .join('');
  }

  states(): string[] {
    return this.of('state').map(({ state }) => state);
  }

  close(): void {
    this.socket.terminate();
  }
}
