import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createRouter, createSiteCheck, type Door, hostCheck, HttpError } from '@fairlead/http';
import { routeTable } from '../routes/table.ts';
import type { MachineContext, MachineSandbox } from '../sandbox.ts';
import type { ListenOn } from './listen.ts';

export interface DoorOptions {
  listenOn: ListenOn;
  sessionApiKey: string | undefined;
}

/** Who gets to the routes: own pages only, and with the key, or for a WebSocket with a ticket. */
export function createDoor(
  sandbox: MachineSandbox,
  { listenOn, sessionApiKey }: DoorOptions,
): Door<MachineContext> {
  const hasKey = keyCheck(sessionApiKey);
  const checkSite = createSiteCheck(
    // No browser gets to a Unix socket, so no page can have made its name point there.
    listenOn.kind === 'socket' ? () => true : hostCheck({ ...listenOn, hasKey: sessionApiKey !== undefined }),
  );
  return {
    routes: routeTable,
    findRoute: createRouter(routeTable),
    log: sandbox.log,
    enter({ request, isUpgrade, query, match }) {
      checkSite(request);
      const needsNoKey = isUpgrade ? hasTicket(sandbox, query) : match?.entry.isPublic === true;
      if (!needsNoKey && !hasKey(request)) throw new HttpError(403, 'Invalid API Key');
      return { sandbox };
    },
  };
}

function keyCheck(sessionApiKey: string | undefined): (request: IncomingMessage) => boolean {
  if (sessionApiKey === undefined) return () => true;
  const expected = digest(sessionApiKey);
  return ({ headers }) => {
    const given = headers['x-session-api-key'];
    return timingSafeEqual(digest(typeof given === 'string' ? given : ''), expected);
  };
}

/** Takes the ticket from the query: it is no concern of the routes. */
function hasTicket({ tickets }: MachineSandbox, query: URLSearchParams): boolean {
  const ticket = query.get('ticket');
  query.delete('ticket');
  return ticket !== null && tickets.redeem(ticket) !== undefined;
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
