import type { IncomingMessage } from 'node:http';
import { hostCheck, hostName, HttpError } from '@fairlead/http';

export interface SiteOptions {
  /** Where the server listens. */
  host: string;
  allowedHosts: string[];
  publicUrl: string | undefined;
}

/** Keeps pages of other sites out, also those that made their name point at this machine. */
export function createSiteCheck({
  host,
  allowedHosts,
  publicUrl,
}: SiteOptions): (request: IncomingMessage) => void {
  const site = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = site === undefined ? allowedHosts : [...allowedHosts, hostName(site.host)];
  // Browsers come with cookies, so that a key alone does not make every name a good one.
  const isHostAllowed = hostCheck({ host, allowedHosts: names, hasKey: false });
  // Clients on a kept connection send the same name each time.
  let lastAllowedHost: string | undefined;
  return ({ headers: { host: given, origin } }) => {
    if (given === undefined || given !== lastAllowedHost) {
      if (given === undefined || !isHostAllowed(hostName(given))) throw foreignHost(given);
      lastAllowedHost = given;
    }
    if (origin !== undefined && origin !== site?.origin && !isOwn(origin, given)) throw foreignOrigin(origin);
  };

  /** By any name but the public one, browsers come without TLS: the gateway has none of its own. */
  function isOwn(origin: string, given: string): boolean {
    const name = given.toLowerCase();
    return name !== site?.host && origin.toLowerCase() === `http://${name}`;
  }
}

function foreignHost(host: string | undefined): HttpError {
  const shown = JSON.stringify((host ?? '').slice(0, 100));
  return new HttpError(403, `Host ${shown} is not a name of this gateway; start it with --allowed-host NAME`);
}

function foreignOrigin(origin: string): HttpError {
  return new HttpError(403, `Origin ${JSON.stringify(origin.slice(0, 100))} is not this gateway's own`);
}
