import type { IncomingMessage } from 'node:http';
import { hostName, HttpError, isLoopback } from '@fairlead/http';

export interface Credentials {
  token: string;
  session: string | undefined;
}

const tokenHeaders = ['x-fairlead-run-bridge-token', 'x-evolve-run-bridge-token', 'x-evolve-token'];
const sessionHeaders = ['x-fairlead-run-bridge-session', 'x-evolve-run-bridge-session', 'x-evolve-session'];

/** Programs send no Origin; every browser does. And only a name of this machine leads here unless somebody bent it. */
export function checkSite({ headers: { host, origin } }: IncomingMessage): void {
  if (origin !== undefined)
    throw new HttpError(403, 'The bridge is for programs; it does not answer web pages (Origin).');
  if (host === undefined || !isLoopback(hostName(host)))
    throw new HttpError(
      403,
      `Host ${JSON.stringify((host ?? '').slice(0, 100))} is not a name of the bridge.`,
    );
}

/** From the headers; undefined when there is no token in them. The name of the session is no secret. */
export function headerCredentials({ headers, url }: IncomingMessage): Credentials | undefined {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const token = bearer ?? first(headers, tokenHeaders);
  const session = first(headers, sessionHeaders) ?? queryOf(url).get('session') ?? undefined;
  return token === undefined ? undefined : { token, session };
}

/** From the query, for programs that know no other way, and from this machine only. */
export function queryCredentials({ url, socket }: IncomingMessage): Credentials | undefined {
  const query = queryOf(url);
  const token = query.get('token');
  if (token === null || !isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))) return undefined;
  return { token, session: query.get('session') ?? undefined };
}

function queryOf(url: string | undefined): URLSearchParams {
  return new URLSearchParams((url ?? '').split('?')[1]);
}

function first(headers: IncomingMessage['headers'], names: string[]): string | undefined {
  return names.map((name) => headers[name]).find((value) => typeof value === 'string');
}
