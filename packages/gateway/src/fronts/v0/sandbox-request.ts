import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hopByHop } from '../../http/hop-by-hop.ts';

/** No credential of the gateway reaches a sandbox, and no page's cookies do. */
const ours = ['authorization', 'x-api-key', 'x-session-api-key', 'cookie', 'origin', 'host', 'expect'];

const neverPassedOn = new Set([...hopByHop, ...ours]);

/** What of a request's headers the sandbox gets to see. Only a POST has a body for it. */
export function headersForSandbox({ method, headers }: IncomingMessage): IncomingHttpHeaders {
  const { 'content-length': length, ...rest } = without(headers, neverPassedOn);
  const body = method === 'POST' && length !== undefined ? { 'content-length': length } : {};
  return { ...rest, ...body, host: 'localhost' };
}

const shownToClients = [
  'content-type',
  'content-length',
  'content-disposition',
  'x-action-id',
  'idempotent-replayed',
  'allow',
  'retry-after',
];

/**
 * What of the sandbox's headers the client gets to see. Its server may be a program's that took its place, and speaks with the
 * gateway's address: it must not set cookies, and a browser must not take what it says for a page of the gateway's.
 */
export function headersForClient({ headers }: IncomingMessage): IncomingHttpHeaders {
  const shown = shownToClients.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, headers[name]]],
  );
  return {
    ...(Object.fromEntries(shown) as IncomingHttpHeaders),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  };
}

/** The part of the target behind `/runtimes/{session}`, as the client has written it. */
export function pathInSandbox(target: string): string {
  return target.replace(/^\/runtimes\/[^/?]+/, '');
}

function without(headers: IncomingHttpHeaders, names: ReadonlySet<string>): IncomingHttpHeaders {
  // A client may name more headers that are for the connection only.
  const listed = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !names.has(name) && !listed.has(name)),
  );
}
