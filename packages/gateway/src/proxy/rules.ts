/** Whether a server gets to see the prefix in paths. */
export type PrefixMode = 'stripped' | 'kept';

/** How one place is shown to browsers, and what the server behind it is told of that. */
export interface ProxyRules {
  /** What stands before the server's own path, without a slash at its end; empty where it has a host of its own. */
  prefix: string;
  prefixMode: PrefixMode;
  /** How browsers call the gateway, with a port where they need one. */
  publicHost: string;
  publicProtocol: 'http' | 'https';
  /**
   * The name that the server is called by. The public one for servers that compare it with a page's origin;
   * `localhost:PORT` for development servers, which know themselves by no other.
   */
  host: string;
  clientAddress: string;
  /** What the gateway itself tells the browser with each answer. */
  ownHeaders?: readonly string[];
}

/** The target of the forwarded request. Of several slashes at its beginning one is left, for two would name a host. */
export function targetPath(url: string, { prefix, prefixMode }: ProxyRules): string {
  const path = prefixMode === 'kept' ? url : url.slice(prefix.length);
  return path.startsWith('/') ? path.replace(/^\/[/\\]+/, '/') : `/${path}`;
}

export function publicOrigin({ publicProtocol, publicHost }: ProxyRules): string {
  return `${publicProtocol}://${publicHost}`;
}

/** The origin of the server's own pages, as far as it knows. */
export function toldOrigin(rules: ProxyRules): string {
  return rules.host === rules.publicHost ? publicOrigin(rules) : `http://${rules.host}`;
}
