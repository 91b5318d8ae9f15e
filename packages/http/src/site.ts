import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { HttpError } from './http-error.ts';

export interface HostCheckOptions {
  /** Where the server listens. */
  host: string;
  allowedHosts: string[];
  /** Whether clients need a key; beyond loopback any name is accepted then. */
  hasKey: boolean;
}

/** Which names a client may call the server by, without port. */
export function hostCheck(options: HostCheckOptions): (name: string) => boolean {
  const listed = new Set([options.host, ...options.allowedHosts].map((name) => name.toLowerCase()));
  const isOpen = !isLoopback(options.host) && options.hasKey;
  return (name) => {
    if (isOpen || isLoopback(name) || listed.has(name)) return true;
    // An address cannot be made to point elsewhere; only names can.
    return isWildcard(options.host) && isIP(name) !== 0;
  };
}

/** Keeps pages of other sites out, also those that made their name point at this machine. */
export function createSiteCheck(
  isHostAllowed: (name: string) => boolean,
): (request: IncomingMessage) => void {
  // Clients on a kept connection send the same name each time.
  let lastAllowedHost: string | undefined;
  return ({ headers: { host, origin } }) => {
    if (host === undefined || host !== lastAllowedHost) {
      if (host === undefined || !isHostAllowed(hostName(host))) throw foreignHost(host);
      lastAllowedHost = host;
    }
    if (origin !== undefined && !isSameSite(origin, host)) throw foreignOrigin(origin);
  };
}

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** Without the port, and without the brackets of an IPv6 address. */
export function hostName(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

export function isSameSite(origin: string, host: string): boolean {
  const site = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  return site !== undefined && site.toLowerCase() === host.toLowerCase();
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '';
}

function foreignHost(host: string | undefined): HttpError {
  const shown = JSON.stringify((host ?? '').slice(0, 100));
  return new HttpError(403, `Host ${shown} is not a name of this server; start it with --allowed-host NAME`);
}

function foreignOrigin(origin: string): HttpError {
  return new HttpError(403, `Origin ${JSON.stringify(origin.slice(0, 100))} is not this server's own`);
}
