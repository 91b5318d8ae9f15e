import type { IncomingMessage } from 'node:http';
import { hostName } from '@fairlead/http';
import type { GatewayCore } from '../fronts/context.ts';
import type { Place } from '../proxy/places.ts';
import type { PlaceRules } from '../proxy/session-proxy.ts';
import { placeCookie } from './place-cookies.ts';
import type { Admission } from './place-passes.ts';
import { isNavigation } from './place-site.ts';
import { noSuchApp } from './session-places.ts';

/** How a place is shown to this browser, and what the server behind it is told. */
export async function placeRules(
  { urls, sessions, passes }: Pick<GatewayCore, 'urls' | 'sessions' | 'passes'>,
  request: IncomingMessage,
  place: Place,
  prefix: string,
  admission: Admission,
): Promise<PlaceRules> {
  const { host: given = '' } = request.headers;
  const site = urls.publicUrl === undefined ? undefined : new URL(urls.publicUrl);
  const isPublic =
    site !== undefined && (urls.domain !== undefined || hostName(site.host) === hostName(given));
  const publicHost = isPublic && urls.domain === undefined ? site.host : given;
  return {
    prefix,
    prefixMode: place.kind === 'editor' || prefix === '' ? 'stripped' : 'learned',
    publicHost,
    publicProtocol: isPublic ? urls.protocol : 'http',
    host: place.kind === 'editor' ? publicHost : `localhost:${await portOf(sessions, place)}`,
    clientAddress: request.socket.remoteAddress ?? '',
    isGuest: admission.grant.isShared,
    ownHeaders: renewal({ urls, passes }, request, place, admission),
  };
}

/**
 * Who uses a place is not shut out of it while they do: its cookie is renewed as pages are opened and sockets connected. Not
 * with the files of a page, which may be kept by others on the way.
 */
function renewal(
  { urls, passes }: Pick<GatewayCore, 'urls' | 'passes'>,
  request: IncomingMessage,
  place: Place,
  admission: Admission,
): string[] {
  if (request.headers.upgrade === undefined && !isNavigation(request)) return [];
  const pass = passes.renewed(admission);
  return pass === undefined
    ? []
    : ['Set-Cookie', placeCookie(urls, place, pass), 'Cache-Control', 'no-store'];
}

async function portOf(
  sessions: GatewayCore['sessions'],
  place: Exclude<Place, { kind: 'editor' }>,
): Promise<number> {
  if (place.kind === 'app') return place.port;
  const { appPorts } = await sessions.get(place.sessionId);
  const port = appPorts[place.number - 1];
  if (port === undefined) throw noSuchApp(place.number, appPorts);
  return port;
}
