import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { HttpError } from './http-error.ts';
import type { SocketRouteEntry } from './route.ts';
import type { RouteMatch } from './router.ts';
import { type Door, splitTarget } from './serve.ts';
import type { WebSockets } from './websockets.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Opens WebSockets under the same checks as requests; a one-time ticket may stand for the key. */
export function acceptUpgrades(http: Server, door: Door): { close(): void } {
  let sockets: Promise<WebSockets> | undefined;
  http.on('upgrade', (request, connection, head) => {
    connection.on('error', () => undefined);
    void upgrade(request, connection, head);
  });
  http.on('clientError', refuseBadRequest);
  return { close: () => void sockets?.then((open) => open.close()) };

  async function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const { sandbox, routes } = door;
    let socket: WebSocket | undefined;
    try {
      const { path, query: queryText } = splitTarget(request.url ?? '/');
      const query = new URLSearchParams(queryText);
      const { entry, params } = check(request, path, query.get('ticket'));
      query.delete('ticket');
      const { route } = await entry.load();
      sockets ??= import('./websockets.ts').then(({ WebSockets }) => new WebSockets());
      socket = await (await sockets).accept(request, connection, head);
      await route.attach(socket, { request, sandbox, routes, params, query });
    } catch (error) {
      const reason = error instanceof HttpError ? reasonOf(error) : 'the server failed';
      if (!(error instanceof HttpError)) sandbox.log(`WebSocket failed: ${(error as Error).message}`);
      if (socket !== undefined) return socket.close(error instanceof HttpError ? 1008 : 1011, reason);
      refuse(connection, error instanceof HttpError ? error : new HttpError(500, reason));
    }
  }

  function check(
    request: IncomingMessage,
    path: string,
    ticket: string | null,
  ): RouteMatch<SocketRouteEntry> {
    door.guard.checkSite(request);
    if (ticket === null || !door.sandbox.tickets.redeem(ticket)) door.guard.checkKey(request);
    const match = door.findRoute(request.method ?? 'GET', path);
    if (match.entry.kind !== 'socket') throw new HttpError(400, `${path} is not a WebSocket`);
    return { entry: match.entry, params: match.params };
  }
}

/** Bytes that are not HTTP, headers that are too long or too slow. */
function refuseBadRequest(error: NodeJS.ErrnoException, connection: Duplex): void {
  if (error.code === 'ECONNRESET' || !connection.writable) return void connection.destroy();
  const status = statusByCode[error.code ?? ''] ?? 400;
  refuse(connection, new HttpError(status, `Bad request: ${STATUS_CODES[status]}`));
}

const statusByCode: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

function refuse(connection: Duplex, error: HttpError): void {
  const body = JSON.stringify({ detail: error.message, ...error.fields });
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  connection.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A close frame has room for 123 bytes. */
function reasonOf(error: HttpError): string {
  const text = typeof error.fields['errors'] === 'string' ? error.fields['errors'] : error.message;
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 120);
}
