export const loginLifetimeSeconds = 12 * 60 * 60;

const valuePattern = /^[\w-]{43}$/;

export interface CookieScope {
  /** The browser came by https, and must not send it by anything else. */
  isSecure: boolean;
  /** What the gateway stands below: others on its host have no business with it. */
  basePath: string;
  /** Below which sessions have hosts of their own. */
  domain?: string | undefined;
}

/** The text of a Set-Cookie header. */
export function loginCookie(value: string, scope: CookieScope): string {
  return cookie(value, loginLifetimeSeconds, scope);
}

/** Takes the cookie away from the browser. */
export function endedLoginCookie(scope: CookieScope): string {
  return cookie('', 0, scope);
}

function cookie(value: string, maxAgeSeconds: number, scope: CookieScope): string {
  const { isSecure, basePath } = scope;
  const text = `${nameIn(scope)}=${value}; Path=${basePath}/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return isSecure ? `${text}; Secure` : text;
}

/** Pages of hosts beside the gateway's could set the plain name for all of them, but not one that is for a host alone. */
function nameIn({ isSecure, basePath, domain }: CookieScope): string {
  return isSecure && basePath === '' && domain !== undefined ? '__Host-fairlead' : 'fairlead';
}

export type CookieReading = { kind: 'none' } | { kind: 'malformed' } | { kind: 'value'; value: string };

/** From a Cookie header. Of two that differ, a page of another path or host may have set one: neither is taken. */
export function readLoginCookie(header: string | undefined, scope: CookieScope): CookieReading {
  const name = nameIn(scope);
  const values = new Set(
    (header ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1)),
  );
  const [value] = values;
  if (value === undefined) return { kind: 'none' };
  return values.size === 1 && valuePattern.test(value) ? { kind: 'value', value } : { kind: 'malformed' };
}
