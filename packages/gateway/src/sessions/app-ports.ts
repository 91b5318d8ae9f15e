import { createServer } from 'node:net';
import { GatewayError } from '../gateway-error.ts';
import type { Place } from '../proxy/places.ts';
import type { SessionStore } from '../store/store.ts';

export interface AppPortsOptions {
  sessions: Pick<SessionStore, 'list'>;
  /** For each session. */
  count: number;
  /** Where browsers reach a place. */
  placeUrl(place: Place): string;
  range?: PortRange;
}

export interface PortRange {
  first: number;
  last: number;
}

/** Below the ports that Linux gives to outgoing connections, and above those that programs are known by. */
const usualRange: PortRange = { first: 20_000, last: 29_999 };

/** Ports that the apps of a session are to listen on, each for one session only. */
export class AppPorts {
  readonly count: number;
  readonly #options: AppPortsOptions;
  readonly #range: PortRange;
  readonly #portsById = new Map<string, number[]>();
  readonly #taken = new Set<number>();
  #nextPort: number;
  #loading: Promise<void> | undefined;

  constructor(options: AppPortsOptions) {
    this.count = options.count;
    this.#options = options;
    this.#range = options.range ?? usualRange;
    // Another gateway on this machine does not know of these, and should not begin at the same place.
    this.#nextPort = this.#range.first + Math.floor(Math.random() * this.#size);
  }

  /** For a session that is about to be; the same when it is asked again. */
  async reserve(id: string): Promise<number[]> {
    await (this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    }));
    const known = this.#portsById.get(id);
    if (known !== undefined) return known;
    const ports: number[] = [];
    for (let tried = 0; ports.length < this.count; tried += 1) {
      if (tried === this.#size) {
        for (const port of ports) this.#taken.delete(port);
        throw this.#noneLeft();
      }
      const port = await this.#take();
      if (port !== undefined) ports.push(port);
    }
    this.#portsById.set(id, ports);
    return ports;
  }

  release(id: string): void {
    for (const port of this.#portsById.get(id) ?? []) this.#taken.delete(port);
    this.#portsById.delete(id);
  }

  /** What the shells and the editor of a session are told of its places. */
  environmentOf(id: string, ports: number[]): Record<string, string> {
    const { placeUrl } = this.#options;
    const apps = ports.flatMap((port, index) => {
      const number = index + 1;
      const url = placeUrl({ kind: 'numbered-app', sessionId: id, number });
      return [
        [`APP_PORT_${number}`, String(port)],
        [`APP_URL_${number}`, url],
      ];
    });
    // VS Code puts the port in there.
    const anyPort = placeUrl({ kind: 'app', sessionId: id, port: 1 }).replace(`${id}-p1`, `${id}-p{{port}}`);
    return { ...Object.fromEntries(apps), VSCODE_PROXY_URI: anyPort };
  }

  get #size(): number {
    return this.#range.last - this.#range.first + 1;
  }

  async #load(): Promise<void> {
    for (const { id, appPorts } of await this.#options.sessions.list()) {
      if (appPorts.length > 0) this.#portsById.set(id, appPorts);
      for (const port of appPorts) this.#taken.add(port);
    }
  }

  /** The next one, unless somebody has it. */
  async #take(): Promise<number | undefined> {
    const port = this.#nextPort;
    this.#nextPort = port === this.#range.last ? this.#range.first : port + 1;
    if (this.#taken.has(port)) return undefined;
    this.#taken.add(port);
    if (await isFree(port)) return port;
    this.#taken.delete(port);
    return undefined;
  }

  #noneLeft(): GatewayError {
    const { first, last } = this.#range;
    return new GatewayError(
      'limit-reached',
      `No app ports are left from ${first} to ${last}; delete sessions that are not needed any more`,
    );
  }
}

/** On every address of this machine. */
async function isFree(port: number): Promise<boolean> {
  const code = await tryToListen(port, '::');
  // Without IPv6 there is no such address.
  const isWithoutIpv6 = code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL';
  return (isWithoutIpv6 ? await tryToListen(port, '0.0.0.0') : code) === undefined;
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
