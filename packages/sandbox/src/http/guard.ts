import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { HttpError } from './http-error.ts';

export interface GuardOptions {
  /** Where the server listens. */
  host: string;
  allowedHosts: string[];
  sessionApiKey: string | undefined;
}

export interface Guard {
  /** Keeps pages of other sites out, also those that made their name point at this machine. */
  checkSite(request: IncomingMessage): void;
  checkKey(request: IncomingMessage): void;
  hasKey(request: IncomingMessage): boolean;
}

export function createGuard(options: GuardOptions): Guard {
  const expected = options.sessionApiKey === undefined ? undefined : digest(options.sessionApiKey);
  const isHostAllowed = hostCheck(options);
  // Clients on a kept connection send the same name each time.
  let lastAllowedHost: string | undefined;

  return {
    checkSite(request) {
      const { host, origin } = request.headers;
      if (host === undefined || host !== lastAllowedHost) {
        if (host === undefined || !isHostAllowed(hostName(host))) throw foreignHost(host);
        lastAllowedHost = host;
      }
      if (origin !== undefined && !isSameSite(origin, host)) throw foreignOrigin(origin);
    },
    checkKey(request) {
      if (!hasKey(request)) throw new HttpError(403, 'Invalid API Key');
    },
    hasKey,
  };

  function hasKey(request: IncomingMessage): boolean {
    if (expected === undefined) return true;
    const given = request.headers['x-session-api-key'];
    return timingSafeEqual(digest(typeof given === 'string' ? given : ''), expected);
  }
}

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
  );
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '';
}

function hostCheck(options: GuardOptions): (name: string) => boolean {
  const listed = new Set([options.host, ...options.allowedHosts].map((name) => name.toLowerCase()));
  const isOpen = !isLoopback(options.host) && options.sessionApiKey !== undefined;
  return (name) => {
    if (isOpen || isLoopback(name) || listed.has(name)) return true;
    // An address cannot be made to point elsewhere; only names can.
    return isWildcard(options.host) && isIP(name) !== 0;
  };
}

/** Without the port, and without the brackets of an IPv6 address. */
function hostName(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

function isSameSite(origin: string, host: string): boolean {
  const site = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  return site !== undefined && site.toLowerCase() === host.toLowerCase();
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function foreignHost(host: string | undefined): HttpError {
  const shown = JSON.stringify((host ?? '').slice(0, 100));
  return new HttpError(403, `Host ${shown} is not a name of this server; start it with --allowed-host NAME`);
}

function foreignOrigin(origin: string): HttpError {
  return new HttpError(403, `Origin ${JSON.stringify(origin.slice(0, 100))} is not this server's own`);
}
