import { isOurKey, withoutOurCookies } from './credentials.ts';
import type { HeaderList } from './header-list.ts';
import { isKeptFromTarget, namedByConnection } from './header-names.ts';
import { toldReferer } from './public-links.ts';
import { type ProxyRules, toldOrigin } from './rules.ts';

/** What the server gets to see, with names as the client wrote them. */
export function requestHeaders(rawHeaders: HeaderList, rules: ProxyRules): HeaderList {
  const headers = ['Host', rules.host];
  headers.push('X-Forwarded-Host', rules.publicHost, 'X-Forwarded-Proto', rules.publicProtocol);
  headers.push('X-Forwarded-For', rules.clientAddress);
  if (rules.prefix !== '') headers.push('X-Forwarded-Prefix', rules.prefix);
  const named = namedByConnection(rawHeaders);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const written = rawHeaders[index]!;
    const value = told(written.toLowerCase(), rawHeaders[index + 1]!, rules, named);
    if (value !== undefined) headers.push(written, value);
  }
  return headers;
}

function told(
  name: string,
  value: string,
  rules: ProxyRules,
  named: ReadonlySet<string> | undefined,
): string | undefined {
  // Many servers take the two for the same name.
  if (name.includes('_')) return isSpecial(name.replaceAll('_', '-')) ? undefined : value;
  if (name === 'te') return /(^|,)\s*trailers\s*($|[,;])/i.test(value) ? 'trailers' : undefined;
  if (isKeptFromTarget(name) || named?.has(name)) return undefined;
  switch (name) {
    case 'cookie':
      return withoutOurCookies(value);
    case 'authorization':
    case 'x-api-key':
    case 'x-session-api-key':
      return isOurKey(value) ? undefined : value;
    case 'origin':
      return toldOrigin(rules);
    case 'referer':
      return toldReferer(value, rules);
    default:
      return value;
  }
}

const rewritten = ['cookie', 'authorization', 'x-api-key', 'x-session-api-key', 'origin', 'referer'];

function isSpecial(name: string): boolean {
  return isKeptFromTarget(name) || rewritten.includes(name) || name === 'content-length';
}
