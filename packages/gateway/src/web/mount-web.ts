import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerError, HttpError, refuseUpgrade } from '@fairlead/http';
import type { PlaceUrls } from './place-urls.ts';
import type { WebFront } from './web-front.ts';

type Listener = (...given: unknown[]) => void;

/**
 * Puts the places before all that listens already: on a host of its own every path is the app's, also those that the gateway has
 * on its own. What is left is for the gateway, which does not see the base path.
 */
export function mountWeb(
  http: Server,
  web: Pick<WebFront, 'handles' | 'serve' | 'upgrade'>,
  urls: PlaceUrls,
  log: (line: string) => void,
): void {
  // What an app or a browser makes go wrong ends there, never the gateway.
  const end = (stream: ServerResponse | Duplex) => (error: unknown) => {
    log(`a visit failed: ${error instanceof Error ? error.message : String(error)}`);
    stream.destroy();
  };
  const onRequest = takeListeners(http, 'request');
  const onUpgrade = takeListeners(http, 'upgrade');
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (web.handles(request)) return void web.serve(request, response).catch(end(response));
    if (!enterGateway(urls, request)) return answerError(response, notHere(urls));
    for (const listener of onRequest) listener.call(http, request, response);
  });
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (web.handles(request)) return void web.upgrade(request, socket, head).catch(end(socket));
    if (!enterGateway(urls, request)) return refuseUpgrade(socket, notHere(urls));
    for (const listener of onUpgrade) listener.call(http, request, socket, head);
  });
}

function takeListeners(http: Server, event: 'request' | 'upgrade'): Listener[] {
  const listeners = http.listeners(event) as Listener[];
  http.removeAllListeners(event);
  return listeners;
}

/** OpenHands' clients find a session's editor only where the address of its runtime begins with the id. */
const runtimePattern = /^\/(?=[a-z][a-z0-9]{19}(?:[/?]|$))/;

/** Takes the base path off; false for a request that is not below it. */
function enterGateway({ basePath }: PlaceUrls, request: IncomingMessage): boolean {
  const { url = '/' } = request;
  if (!url.startsWith(basePath)) return false;
  const path = url.slice(basePath.length);
  if (basePath !== '' && !/^(?:[/?]|$)/.test(path)) return false;
  const rooted = path.startsWith('/') || basePath === '' ? path : `/${path}`;
  request.url = rooted.replace(runtimePattern, '/runtimes/');
  return true;
}

function notHere({ basePath }: PlaceUrls): HttpError {
  return new HttpError(404, `Everything of this gateway stands below ${basePath}/`);
}
