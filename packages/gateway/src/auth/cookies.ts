export const loginLifetimeSeconds = 12 * 60 * 60;

const name = 'fairlead';
const valuePattern = /^[\w-]{43}$/;

/** The text of a Set-Cookie header. `isSecure`: the browser came by https, and must not send it by anything else. */
export function loginCookie(value: string, isSecure: boolean): string {
  return cookie(value, loginLifetimeSeconds, isSecure);
}

/** Takes the cookie away from the browser. */
export function endedLoginCookie(isSecure: boolean): string {
  return cookie('', 0, isSecure);
}

function cookie(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const text = `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return isSecure ? `${text}; Secure` : text;
}

export type CookieReading = { kind: 'none' } | { kind: 'malformed' } | { kind: 'value'; value: string };

/** From a Cookie header. Of two that differ, a page of another path or host may have set one: neither is taken. */
export function readLoginCookie(header: string | undefined): CookieReading {
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
