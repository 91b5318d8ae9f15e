import type { IncomingMessage } from 'node:http';
import { parseBasePath } from '../proxy/base-path.ts';
import { type Place, placeHost, placePrefix, readHost } from '../proxy/places.ts';

export interface PlaceUrlOptions {
  /** Where the gateway listens. */
  host: string;
  /** What browsers call it by, where that is something else. A path in it is the base path. */
  publicUrl?: string | undefined;
  /** What everything of the gateway stands below; empty for nothing. */
  basePath?: string | undefined;
  /** Where each place has a host of its own: `{session}-vscode.DOMAIN`. */
  domain?: string | undefined;
}

type Asked = Pick<IncomingMessage, 'headers'>;

/** The addresses of the gateway and of the places of sessions, as browsers have to write them. */
export class PlaceUrls {
  readonly basePath: string;
  readonly domain: string | undefined;
  /** With the base path, and without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly #site: URL | undefined;
  readonly #host: string;
  #port = 0;

  constructor({ host, publicUrl, basePath = '', domain }: PlaceUrlOptions) {
    this.#host = host;
    this.#site = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.basePath = agreed(parseBasePath(basePath), parseBasePath(this.#site?.pathname ?? ''));
    this.publicUrl = this.#site && this.#site.origin + this.basePath;
    this.domain = domain === undefined ? undefined : parseDomain(domain);
  }

  /** Known once the gateway listens. */
  listensOn(port: number): void {
    this.#port = port;
  }

  listensAt(port: number): boolean {
    return port === this.#port;
  }

  get isSecure(): boolean {
    return this.#site?.protocol === 'https:';
  }

  get protocol(): 'http' | 'https' {
    return this.isSecure ? 'https' : 'http';
  }

  /** Where the gateway itself listens, with the base path. */
  get listeningUrl(): string {
    const shownHost = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${shownHost}:${this.#port}${this.basePath}`;
  }

  /** The gateway itself, without a slash at its end: by the name that the client came by, unless there is a public one. */
  gatewayUrl(request?: Asked): string {
    if (this.publicUrl !== undefined) return this.publicUrl;
    const host = request?.headers.host;
    if (host !== undefined && !this.isPlaceHost(host)) return `http://${host}${this.basePath}`;
    if (this.domain === undefined) return this.listeningUrl;
    return `http://${this.domain}${portOf(host) ?? `:${this.#port}`}${this.basePath}`;
  }

  /** With a slash at its end. */
  placeUrl(place: Place, request?: Asked): string {
    if (this.domain === undefined) return `${this.gatewayUrl(request)}${placePrefix(place, '')}/`;
    return `${this.placeOrigin(place, request)}/`;
  }

  /** As browsers write it in `Origin`. */
  placeOrigin(place: Place, request?: Asked): string {
    const { protocol, host } = new URL(this.gatewayUrl(request));
    if (this.domain === undefined) return `${protocol}//${host}`;
    return `${protocol}//${placeHost(place, this.domain)}${portOf(host) ?? ''}`;
  }

  /** What stands before a place's own paths on its host. */
  prefixOf(place: Place): string {
    return this.domain === undefined ? placePrefix(place, this.basePath) : '';
  }

  /** Whether a place has this host to itself, so that nothing of the gateway's own is there. */
  isPlaceHost(host: string | undefined): boolean {
    return this.domain !== undefined && host !== undefined && readHost(host, this.domain) !== undefined;
  }
}

function agreed(basePath: string, publicPath: string): string {
  if (basePath === '' || publicPath === '' || basePath === publicPath) return basePath || publicPath;
  throw new Error(
    `Base path ${basePath} is not the path of the public URL, which is ${publicPath}: give one of them`,
  );
}

function parseDomain(domain: string): string {
  const name = domain.toLowerCase();
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name)) return name;
  throw new Error(
    `Domain ${JSON.stringify(domain)} is not a name like apps.example.com; give it without a port`,
  );
}

function portOf(host: string | undefined): string | undefined {
  return host === undefined ? undefined : (/:\d+$/.exec(host)?.[0] ?? '');
}
