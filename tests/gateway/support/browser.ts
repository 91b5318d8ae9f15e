import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';

export interface Seen {
  url: string;
  status: number;
  body: string;
}

/** Goes to pages as a browser does: follows redirects, and keeps cookies by host and path. */
export class Browser {
  /** All names are the gateway's, which listens on this port of loopback. */
  port: number;
  readonly #cookies = new Map<string, { host: string; path: string; pair: string }>();

  constructor(port: number) {
    this.port = port;
  }

  async go(address: string): Promise<Seen> {
    let url = new URL(address);
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.open(url);
      const { location } = response.headers;
      if (location === undefined)
        return { url: url.href, status: response.statusCode!, body: await text(response) };
      response.resume();
      url = new URL(location, url);
    }
    throw new Error(`${address} leads round and round`);
  }

  /** One answer, whose body may go on. */
  open(url: URL, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        host: '127.0.0.1',
        port: this.port,
        method,
        path: url.pathname + url.search,
        agent: false,
        headers: { host: url.host, accept: 'text/html', ...this.#cookieHeader(url), ...headers },
      });
      sent.on('response', (response) => {
        for (const cookie of response.headers['set-cookie'] ?? []) this.#keep(url, cookie);
        resolve(response);
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  /** Of a page of that origin. */
  connect(url: URL, origin = url.origin): WebSocket {
    const address = `ws://127.0.0.1:${this.port}${url.pathname}${url.search}`;
    const socket = new WebSocket(address, {
      headers: { ...this.#cookieHeader(url), host: url.host, origin },
    });
    socket.on('error', () => undefined);
    return socket;
  }

  #keep({ host }: URL, cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ');
    const path = attributes.find((each) => each.startsWith('Path='))?.slice('Path='.length) ?? '/';
    this.#cookies.set(`${host} ${path} ${pair.split('=', 1)[0]}`, { host, path, pair });
  }

  #cookieHeader({ host, pathname }: URL): Record<string, string> {
    const fitting = [...this.#cookies.values()].filter(
      (cookie) => cookie.host === host && pathname.startsWith(cookie.path),
    );
    return fitting.length === 0 ? {} : { cookie: fitting.map(({ pair }) => pair).join('; ') };
  }
}

/** `open`, or the status that it was refused with. */
export function opened(socket: WebSocket): Promise<number | 'open'> {
  return new Promise((resolve) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0);
      response.resume();
    });
  });
}
