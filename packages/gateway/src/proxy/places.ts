import { hostName } from '@fairlead/http';

/** What of a session is shown to browsers. */
export type Place =
  | { kind: 'editor'; sessionId: string }
  /** One of the session's own app ports, counted from 1. */
  | { kind: 'numbered-app'; sessionId: string; number: number }
  | { kind: 'app'; sessionId: string; port: number };

export type PathReading =
  | { kind: 'place'; place: Place; prefix: string }
  /** The same place, with the slash without which the relative links of its pages would lead elsewhere. */
  | { kind: 'redirect'; location: string }
  | { kind: 'elsewhere' };

/** All ids have the same length, so that none is the beginning of another. */
const sessionId = '[a-z][a-z0-9]{19}';
const appLabel = '[1-9][0-9]?|p[1-9][0-9]{0,4}';
const placePattern = new RegExp(`^(?:/vscode/(${sessionId})|/apps/(${sessionId})-(${appLabel}))(?=[/?]|$)`);
const hostPattern = new RegExp(`^(${sessionId})-(vscode|${appLabel})$`);

/** Which place the target of a request (its path and query, as they were sent) is in. Nothing is decoded. */
export function readPath(target: string, basePath: string): PathReading {
  const path = target.startsWith(basePath) ? target.slice(basePath.length) : '';
  const [matched, editorOf, appOf, label = ''] = placePattern.exec(path) ?? [];
  if (matched === undefined) return { kind: 'elsewhere' };
  const place = editorOf === undefined ? appOfLabel(appOf!, label) : editor(editorOf);
  if (place === undefined) return { kind: 'elsewhere' };
  const prefix = basePath + matched;
  const rest = path.slice(matched.length);
  return rest.startsWith('/')
    ? { kind: 'place', place, prefix }
    : { kind: 'redirect', location: `${prefix}/${rest}` };
}

/** Which place a host is, where places have hosts of their own: `{session}-vscode.DOMAIN`, `{session}-1.DOMAIN`. */
export function readHost(host: string, domain: string): Place | undefined {
  const name = hostName(host);
  const end = `.${domain.toLowerCase()}`;
  if (!name.endsWith(end)) return undefined;
  const [, id, label] = hostPattern.exec(name.slice(0, -end.length)) ?? [];
  return id === undefined || label === undefined ? undefined : placeOf(id, label);
}

/** By what `placeLabel` tells of it. */
export function readLabel(sessionId: string, label: string): Place | undefined {
  return hostPattern.test(`${sessionId}-${label}`) ? placeOf(sessionId, label) : undefined;
}

/** Without a slash at its end, as `readPath` tells it. */
export function placePrefix(place: Place, basePath: string): string {
  return place.kind === 'editor'
    ? `${basePath}/vscode/${place.sessionId}`
    : `${basePath}/apps/${place.sessionId}-${placeLabel(place)}`;
}

/** Without a port. */
export function placeHost(place: Place, domain: string): string {
  return `${place.sessionId}-${placeLabel(place)}.${domain}`;
}

function placeOf(sessionId: string, label: string): Place | undefined {
  return label === 'vscode' ? editor(sessionId) : appOfLabel(sessionId, label);
}

function editor(sessionId: string): Place {
  return { kind: 'editor', sessionId };
}

function appOfLabel(sessionId: string, label: string): Place | undefined {
  if (!label.startsWith('p')) return { kind: 'numbered-app', sessionId, number: Number(label) };
  const port = Number(label.slice(1));
  return port <= 65_535 ? { kind: 'app', sessionId, port } : undefined;
}

/** What stands behind the session's id in an address. */
export function placeLabel(place: Place): string {
  switch (place.kind) {
    case 'editor':
      return 'vscode';
    case 'numbered-app':
      return String(place.number);
    case 'app':
      return `p${place.port}`;
  }
}
