import type { IncomingMessage } from 'node:http';
import type { EditorState } from '@fairlead/protocol';
import type { Place } from '../proxy/places.ts';
import { parameterOf, withParameter } from './local-target.ts';
import type { PlaceUrls } from './place-urls.ts';

const tokenCookie = 'vscode-tkn';
const tokenSeconds = 7 * 24 * 60 * 60;

/**
 * What a browser needs before the editor's own first page. Some editors ask for a token: it is put where their pages look
 * for it, rather than in an address. Undefined for one that has all.
 */
export function editorEntrance(
  urls: PlaceUrls,
  place: Place,
  path: string,
  { headers }: IncomingMessage,
  { product, token, folder }: EditorState,
): { target: string; cookie?: string } | undefined {
  if (path.split('?', 1)[0] !== '/') return undefined;
  const isFolderMissing =
    product === 'serve-web' &&
    ['folder', 'workspace', 'ew'].every((name) => parameterOf(path, name) === null);
  const target = isFolderMissing ? withParameter(path, 'folder', folder) : path;
  // It comes out of the sandbox, and goes into a header.
  const isTokenMissing = token !== null && /^[\w-]{1,200}$/.test(token) && !hasToken(headers.cookie, token);
  if (!isFolderMissing && !isTokenMissing) return undefined;
  if (!isTokenMissing) return { target };
  const attributes = `Path=${urls.prefixOf(place)}/; SameSite=Lax; Max-Age=${tokenSeconds}`;
  return { target, cookie: `${tokenCookie}=${token}; ${attributes}${urls.isSecure ? '; Secure' : ''}` };
}

function hasToken(header: string | undefined, token: string): boolean {
  return (header ?? '').split(';').some((pair) => pair.trim() === `${tokenCookie}=${token}`);
}
