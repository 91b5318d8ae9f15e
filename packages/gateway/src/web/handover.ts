import type { ServerResponse } from 'node:http';
import { type Place, placeLabel, placePrefix, readLabel } from '../proxy/places.ts';
import { localTarget, parameterOf, withParameter } from './local-target.ts';
import { placeCookie } from './place-cookies.ts';
import { type Admission, type PlacePasses, ticketSeconds } from './place-passes.ts';
import type { PlaceUrls } from './place-urls.ts';
import { ownPath, redirect } from './own-answers.ts';

export const ticketParameter = 'fairlead-ticket';
export const shareParameter = 'fairlead-share';
const enterPath = `${ownPath}enter`;

type Asked = { headers: { host?: string | undefined } };

/**
 * A browser that comes to a place for the first time may be known elsewhere: at the gateway's own host, or at the session's
 * editor. It is sent there, and from there back with what opens this place.
 */
export interface Errand {
  place: Place;
  /** Where in the place it wants to go. */
  target: string;
}

export function readErrand(sessionId: string, path: string): Errand | undefined {
  if (!path.startsWith(`${enterPath}?`)) return undefined;
  const place = readLabel(sessionId, parameterOf(path, 'place') ?? '');
  return place && { place, target: localTarget(parameterOf(path, 'to') ?? '/') };
}

/** On the gateway's own host, or where all have one host, at the editor. */
export function gatewayErrandUrl(urls: PlaceUrls, request: Asked, errand: Errand): string {
  const editor: Place = { kind: 'editor', sessionId: errand.place.sessionId };
  const path = `${placePrefix(editor, urls.basePath)}${errandPath(errand)}`;
  return urls.domain === undefined ? path : new URL(urls.gatewayUrl(request)).origin + path;
}

export function editorErrandUrl(urls: PlaceUrls, request: Asked, errand: Errand): string {
  const editor: Place = { kind: 'editor', sessionId: errand.place.sessionId };
  return `${urls.placeOrigin(editor, request)}${errandPath(errand)}`;
}

function errandPath({ place, target }: Errand): string {
  return `${enterPath}?${new URLSearchParams({ place: placeLabel(place), to: target })}`;
}

/**
 * Sends the browser to where it wanted to go, with a cookie where it can be given here, else with a ticket. Who may use the editor,
 * which has a terminal, may see every place of the session.
 */
export function sendBack(
  response: ServerResponse,
  request: Asked,
  { urls, passes }: { urls: PlaceUrls; passes: PlacePasses },
  errand: Errand,
  admission: Admission,
): void {
  const { place, target } = errand;
  const grant = { ...admission.grant, place: placeLabel(place) };
  if (urls.domain === undefined) {
    const cookie = placeCookie(urls, place, passes.cookieFor({ ...admission, grant }));
    return redirect(response, `${urls.prefixOf(place)}${target}`, cookie);
  }
  const ticket = passes.issue('ticket', grant, ticketSeconds, admission.expiresAtMs).text;
  redirect(response, urls.placeOrigin(place, request) + withParameter(target, ticketParameter, ticket));
}
