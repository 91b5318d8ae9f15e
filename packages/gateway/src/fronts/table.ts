import type { HttpRoute, RouteEntry, SocketRoute } from '@fairlead/http';
import { endSocket } from '../http/end-stream.ts';
import type { SessionContext } from './context.ts';
import { toFailure, toRuntimeFailure } from './failure.ts';
import { nativeTable } from './native/table.ts';
import { remoteRuntimeTable } from './remote-runtime/table.ts';
import type { Access, GatewayRoute } from './route-entry.ts';
import { v0Table } from './v0/table.ts';
import { windowsTable } from './windows/table.ts';

export type ServedRoute = RouteEntry<SessionContext> & { access: Access };

/** Every route of the gateway; what the core refuses comes out as an answer. */
export const servedRoutes: readonly ServedRoute[] = [
  ...nativeTable.map((entry) => served(entry, toFailure)),
  ...windowsTable.map((entry) => served(entry, toFailure)),
  ...remoteRuntimeTable.map((entry) => served(entry, toFailure)),
  ...v0Table.map((entry) => served(entry, toRuntimeFailure)),
];

type Translate = (error: unknown) => unknown;

function served(entry: GatewayRoute, translate: Translate): ServedRoute {
  if (entry.kind === 'http') {
    const load = once(async () => ({ route: translatedRequests((await entry.load()).route, translate) }));
    return { ...entry, load };
  }
  const load = once(async () => ({ route: translatedSockets((await entry.load()).route, translate) }));
  return { ...entry, load };
}

function translatedRequests(
  route: HttpRoute<SessionContext>,
  translate: Translate,
): HttpRoute<SessionContext> {
  return {
    ...route,
    async handle(exchange) {
      try {
        await route.handle(exchange);
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

function translatedSockets(
  route: SocketRoute<SessionContext>,
  translate: Translate,
): SocketRoute<SessionContext> {
  return {
    ...route,
    async attach(socket, visit) {
      socket.on(
        'close',
        visit.gateway.streams.add(visit.identity, () => endSocket(socket)),
      );
      try {
        await route.attach(socket, visit);
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
