import { z } from 'zod';
import type { SessionsApi } from '../sessions/sessions-api.ts';
import { askSandbox } from './ask-sandbox.ts';

/** A socket that a process of the session listens on. */
export type OpenPort = z.infer<typeof openPort>;

const openPort = z.object({ port: z.int().min(1).max(65_535), address: z.string(), command: z.string() });
const listing = z.object({ ports: z.array(openPort) });

const freshMs = 1_000;

/** What listens in sessions. To find out takes milliseconds, so that for connections it is not asked each time. */
export class PortListings {
  readonly #sessions: Pick<SessionsApi, 'connection'>;
  /** Oldest first. */
  readonly #recent = new Map<string, { atMs: number; ports: Promise<OpenPort[]> }>();

  constructor(sessions: Pick<SessionsApi, 'connection'>) {
    this.#sessions = sessions;
  }

  /** The sockets of one port, as they were a moment ago; that there are none is never an old answer. */
  async find(sessionId: string, port: number): Promise<OpenPort[]> {
    const isOfPort = (open: OpenPort) => open.port === port;
    this.#forgetOld();
    const recent = await this.#recent.get(sessionId)?.ports.catch(() => undefined);
    const known = recent?.filter(isOfPort) ?? [];
    return known.length > 0 ? known : (await this.list(sessionId)).filter(isOfPort);
  }

  /** As it is now. */
  list(sessionId: string): Promise<OpenPort[]> {
    const ports = this.#load(sessionId);
    this.#recent.delete(sessionId);
    this.#recent.set(sessionId, { atMs: performance.now(), ports });
    ports.catch(() => {
      if (this.#recent.get(sessionId)?.ports === ports) this.#recent.delete(sessionId);
    });
    return ports;
  }

  async #load(sessionId: string): Promise<OpenPort[]> {
    const connection = await this.#sessions.connection(sessionId);
    return (await askSandbox(connection, 'GET', '/ports', listing)).ports;
  }

  #forgetOld(): void {
    const nowMs = performance.now();
    for (const [sessionId, { atMs }] of this.#recent) {
      if (nowMs - atMs < freshMs) return;
      this.#recent.delete(sessionId);
    }
  }
}
