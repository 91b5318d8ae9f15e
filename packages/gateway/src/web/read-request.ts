import type { IncomingMessage } from 'node:http';
import { type Place, readHost, readPath } from '../proxy/places.ts';
import type { PlaceUrls } from './place-urls.ts';

export type WebRequest =
  | { kind: 'place'; place: Place; prefix: string; path: string }
  /** To the same place, with a slash behind its prefix. */
  | { kind: 'slash'; location: string }
  /** The place has a host of its own, and this is the gateway's. */
  | { kind: 'elsewhere'; place: Place; path: string }
  /** As OpenHands' clients write the address of a session's editor and apps, with the editor's token. */
  | { kind: 'alias'; place: Place };

const sessionId = '[a-z][a-z0-9]{19}';
const aliasPattern = new RegExp(`^/(?:runtimes/)?(${sessionId})/(?:vscode|work-([1-9]))/?(?=\\?|$)`);

/** Undefined for a request to the gateway itself. */
export function readWebRequest(urls: PlaceUrls, request: IncomingMessage): WebRequest | undefined {
  const { url = '/', headers } = request;
  const { domain, basePath } = urls;
  const hostPlace = domain === undefined ? undefined : readHost(headers.host ?? '', domain);
  if (hostPlace !== undefined) return { kind: 'place', place: hostPlace, prefix: '', path: url };
  const reading = readPath(url, basePath);
  switch (reading.kind) {
    case 'place': {
      const { place, prefix } = reading;
      const path = url.slice(prefix.length);
      return domain === undefined
        ? { kind: 'place', place, prefix, path }
        : { kind: 'elsewhere', place, path };
    }
    case 'redirect':
      return { kind: 'slash', location: reading.location };
    case 'elsewhere':
      return readAlias(url.startsWith(basePath) ? url.slice(basePath.length) : '');
  }
}

function readAlias(path: string): WebRequest | undefined {
  const [, id, number] = aliasPattern.exec(path) ?? [];
  if (id === undefined) return undefined;
  const place: Place =
    number === undefined
      ? { kind: 'editor', sessionId: id }
      : { kind: 'numbered-app', sessionId: id, number: Number(number) };
  return { kind: 'alias', place };
}
