import type { IncomingMessage } from 'node:http';
import { HttpError } from '@fairlead/http';
import type { Gatekeeper } from '../http/gatekeeper.ts';
import type { PlaceUrls } from './place-urls.ts';

/** Keeps pages of other sites from a place: none but its own may use it, beyond going there. */
export function checkPlaceSite(urls: PlaceUrls, gatekeeper: Gatekeeper, request: IncomingMessage): void {
  const { host = '', origin } = request.headers;
  if (!urls.isPlaceHost(host))
    return gatekeeper.checkSite(isOwnNull(request) ? withoutOrigin(request) : request);
  if (origin === undefined || isOwnNull(request)) return;
  if (origin.toLowerCase() !== `${urls.protocol}://${host.toLowerCase()}`) {
    throw new HttpError(403, `Origin ${JSON.stringify(origin.slice(0, 100))} is not that of this place`);
  }
}

/** Browsers send cookies unasked, so they must say that it is the place's own page which asks. */
export function checkPlaceCookieUse(request: IncomingMessage, isUpgrade: boolean): void {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  const isSafe = !isUpgrade && isSafeMethod(request.method);
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !(isSafe && mode === 'navigate')) {
    throw new HttpError(403, 'Pages of other addresses cannot use this one with its cookie');
  }
  if (isSafe || origin !== undefined || site === 'same-origin') return;
  throw new HttpError(403, 'A request with a cookie needs an Origin header; other clients send an API key');
}

/** Where sessions have hosts of their own, a page of one must not lay another's editor under the person's mouse. */
export function checkFraming(urls: PlaceUrls, { headers }: IncomingMessage): void {
  const { 'sec-fetch-dest': dest, 'sec-fetch-site': site, referer = '' } = headers;
  const isFramed = dest === 'iframe' || dest === 'frame' || dest === 'embed' || dest === 'object';
  if (urls.domain === undefined || !isFramed || site === 'same-origin') return;
  const from = URL.canParse(referer) ? new URL(referer).host : undefined;
  if (from !== undefined && !urls.isPlaceHost(from)) return;
  throw new HttpError(
    403,
    'A page of a session cannot show the editor inside itself; open it in a tab of its own',
  );
}

/** Somebody goes to a page, rather than a page loading something. */
export function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET') return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? /\btext\/html\b/.test(headers.accept ?? '') : mode === 'navigate';
}

function isSafeMethod(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** A page that lets nobody know where it is does not tell its own server either; the browser vouches for it. */
function isOwnNull({ headers }: IncomingMessage): boolean {
  return headers.origin === 'null' && headers['sec-fetch-site'] === 'same-origin';
}

function withoutOrigin({ headers: { origin, ...headers } }: IncomingMessage): IncomingMessage {
  return { headers } as IncomingMessage;
}
