import { createRouter, type Door, type Entrance } from '@fairlead/http';
import type { GatewayCore, OpenContext, SessionContext } from '../fronts/context.ts';
import { isOwner, openSession, ownersOnly } from '../fronts/session-access.ts';
import { type ServedRoute, servedRoutes } from '../fronts/table.ts';
import { checkCookieUse } from './cookie-use.ts';

/** What requests and what WebSockets find: a path may be both, with one entry for each. */
export interface Doors {
  http: Door<SessionContext>;
  sockets: Door<SessionContext>;
}

export function createDoors(gateway: GatewayCore): Doors {
  const { log } = gateway;
  const enter = (entrance: Entrance<SessionContext>) => admit(gateway, entrance);
  const described = servedRoutes.filter((entry) => !isTwin(entry));
  const doorOf = (preferred: 'http' | 'socket') => ({
    routes: described,
    findRoute: createRouter(servedRoutes.toSorted((a, b) => rank(a, preferred) - rank(b, preferred))),
    enter,
    log,
  });
  return { http: doorOf('http'), sockets: doorOf('socket') };
}

function rank(entry: ServedRoute, preferred: 'http' | 'socket'): number {
  return entry.kind === preferred ? 0 : 1;
}

/** A WebSocket whose request twin describes both. */
function isTwin(entry: ServedRoute): boolean {
  return (
    entry.kind === 'socket' &&
    servedRoutes.some((other) => other.kind === 'http' && other.path === entry.path)
  );
}

/** All checks of site, identity and access; who may not know of a session is told that there is none. */
async function admit(
  gateway: GatewayCore,
  { request, isUpgrade, query, match }: Entrance<SessionContext>,
): Promise<SessionContext> {
  const { gatekeeper } = gateway;
  gatekeeper.checkSite(request);
  // The tables say it, and the router hands their entries through.
  const access = (match?.entry as ServedRoute | undefined)?.access;
  if (access === 'public') {
    gatekeeper.admitAnyone(request, 'page');
    return promised({ gateway });
  }
  const ticket = isUpgrade ? takeTicket(query) : null;
  const identity = await (ticket === null
    ? gatekeeper.byHeaders(request)
    : gatekeeper.byTicket(request, ticket));
  checkCookieUse(request, identity, isUpgrade);
  const context = { gateway, identity };
  switch (access) {
    case undefined:
    case 'identified':
      return promised(context);
    case 'owner':
    case 'named-session':
      if (!isOwner(identity)) throw ownersOnly();
      return promised(context);
    case 'session':
    case 'session-owner': {
      const session = await openSession(context, match?.params['session'] ?? '');
      if (access === 'session-owner' && !isOwner(identity)) throw ownersOnly();
      return { ...context, session };
    }
  }
}

/** A route gets as much as its access promises; that it asks for no more, the types of the tables see to. */
function promised(context: OpenContext): SessionContext {
  return context as SessionContext;
}

/** Routes do not see it. */
function takeTicket(query: URLSearchParams): string | null {
  const ticket = query.get('ticket');
  query.delete('ticket');
  return ticket;
}
