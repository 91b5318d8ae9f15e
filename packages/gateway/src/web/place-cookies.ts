import type { Place } from '../proxy/places.ts';
import type { Pass } from './place-passes.ts';
import type { PlaceUrls } from './place-urls.ts';

/** For the place alone: two places of one host do not see each other's, and a host of its own keeps it to itself. */
export function placeCookie(urls: PlaceUrls, place: Place, { text, expiresAtMs }: Pass): string {
  const maxAgeSeconds = Math.max(0, Math.floor((expiresAtMs - Date.now()) / 1000));
  const cookie = `${cookieName(urls, place.sessionId)}=${text}; Path=${urls.prefixOf(place)}/`;
  return `${cookie}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${urls.isSecure ? '; Secure' : ''}`;
}

/**
 * Every value that came: pages of the same host, or of a host beside it, can add some of their own, which must neither
 * open nor close anything.
 */
export function readPlaceCookies(urls: PlaceUrls, sessionId: string, header: string | undefined): string[] {
  const start = `${cookieName(urls, sessionId)}=`;
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
}

/** Browsers take one with the prefix only from its host itself; it has to be for the whole of that host. */
function cookieName({ domain, isSecure }: PlaceUrls, sessionId: string): string {
  return domain !== undefined && isSecure ? `__Host-fairlead-${sessionId}` : `fairlead-${sessionId}`;
}
