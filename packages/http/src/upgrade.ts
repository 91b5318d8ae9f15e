import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Door, enter } from './door.ts';
import { HttpError } from './http-error.ts';
import type { WebSockets } from './websockets.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Opens WebSockets under the same checks as requests. */
export function acceptUpgrades<Context extends object>(http: Server, door: Door<Context>): { close(): void } {
  const upgrades = createUpgrades(door);
  http.on('upgrade', upgrades.accept);
  http.on('clientError', refuseBadRequest);
  return upgrades;
}

/** For a server that gives some of its upgrades to others. */
export function createUpgrades<Context extends object>(door: Door<Context>): Upgrades {
  let sockets: Promise<WebSockets> | undefined;
  return {
    accept(request, connection, head) {
      connection.on('error', () => undefined);
      void upgrade(request, connection, head);
    },
    close: () => void sockets?.then((open) => open.close()),
  };

  async function upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    let socket: WebSocket | undefined;
    try {
      const { entry, params, context, path, query } = await enter(door, request, true);
      if (entry.kind !== 'socket') throw new HttpError(400, `${path} is not a WebSocket`);
      const { route } = await entry.load();
      sockets ??= import('./websockets.ts').then(({ WebSockets }) => new WebSockets());
      socket = await (await sockets).accept(request, connection, head);
      await route.attach(socket, { ...context, request, routes: door.routes, params, query });
    } catch (error) {
      const reason = error instanceof HttpError ? reasonOf(error) : 'the server failed';
      if (!(error instanceof HttpError)) door.log(`WebSocket failed: ${(error as Error).message}`);
      if (socket !== undefined) return socket.close(error instanceof HttpError ? 1008 : 1011, reason);
      refuseUpgrade(connection, error instanceof HttpError ? error : new HttpError(500, reason));
    }
  }
}

export interface Upgrades {
  accept(request: IncomingMessage, connection: Duplex, head: Buffer): void;
  close(): void;
}

/** Bytes that are not HTTP, headers that are too long or too slow. */
export function refuseBadRequest(error: NodeJS.ErrnoException, connection: Duplex): void {
  if (error.code === 'ECONNRESET' || !connection.writable) return void connection.destroy();
  const status = statusByCode[error.code ?? ''] ?? 400;
  refuseUpgrade(connection, new HttpError(status, `Bad request: ${STATUS_CODES[status]}`));
}

const statusByCode: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** An answer where there is only a connection. */
export function refuseUpgrade(connection: Duplex, error: HttpError): void {
  const body = JSON.stringify({ detail: error.message, ...error.fields });
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  connection.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A close frame has room for 123 bytes. */
function reasonOf(error: HttpError): string {
  const text = typeof error.fields['errors'] === 'string' ? error.fields['errors'] : error.message;
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 120);
}
