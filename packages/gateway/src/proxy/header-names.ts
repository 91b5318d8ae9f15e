import type { HeaderList } from './header-list.ts';
import { hopByHop } from '../http/hop-by-hop.ts';

/** By which a client could tell the server another story than the gateway does, besides `X-Forwarded-…`. */
const forwarding = [
  'cf-connecting-ip',
  'fastly-client-ip',
  'forwarded',
  'front-end-https',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-forwarded',
  'x-host',
  'x-original-host',
  'x-original-url',
  'x-proxycontextpath',
  'x-real-ip',
  'x-rewrite-url',
  'x-scheme',
  'x-script-name',
];

/** Speak for a whole host, which is more than the server behind one path of it may. */
const hostWide = [
  'alt-svc',
  'nel',
  'public-key-pins',
  'report-to',
  'set-cookie2',
  'strict-transport-security',
];

/** Orders to a web server in front of the gateway, such as to send one of its own files, besides `X-Accel-…`. */
const forFrontServers = ['x-lighttpd-send-file', 'x-reproxy-url', 'x-sendfile', 'x-sendfile2'];

const neverToTarget: ReadonlySet<string> = new Set([...hopByHop, ...forwarding, 'host', 'expect']);
const neverToClient: ReadonlySet<string> = new Set([...hopByHop, ...hostWide, ...forFrontServers]);

/** Both take names in lower case. */
export function isKeptFromTarget(name: string): boolean {
  return neverToTarget.has(name) || name.startsWith('x-forwarded-');
}

export function isKeptFromClient(name: string): boolean {
  return neverToClient.has(name) || name.startsWith('x-accel-');
}

/** Headers that this message has for its connection alone; undefined where it names none. */
export function namedByConnection(rawHeaders: HeaderList): Set<string> | undefined {
  let names: Set<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== 'connection') continue;
    const value = rawHeaders[index + 1]!.toLowerCase();
    if (value === 'keep-alive' || value === 'close' || value === 'upgrade') continue;
    names ??= new Set();
    for (const name of value.split(',')) names.add(name.trim());
  }
  return names;
}
