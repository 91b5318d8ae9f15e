const ourCookie = /^(?:__host-|__secure-)?fairlead/i;

/** Also with a prefix that browsers give a meaning. */
export function isOurCookieName(name: string): boolean {
  return ourCookie.test(name);
}

/** The rest of a Cookie header; undefined where nothing is left. */
export function withoutOurCookies(header: string): string | undefined {
  if (!/fairlead/i.test(header)) return header;
  const rest = header.split(';').filter((pair) => !isOurCookieName(pair.trim()));
  return rest.length === 0 ? undefined : rest.join(';').trim();
}

/** The value of an Authorization or API key header that was meant for the gateway; servers have keys of their own. */
export function isOurKey(value: string): boolean {
  return /^\s*(?:bearer\s+)?f[ls]_/i.test(value);
}
