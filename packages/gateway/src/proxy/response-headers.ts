import type { HeaderList } from './header-list.ts';
import { isKeptFromClient, namedByConnection } from './header-names.ts';
import { publicLink, publicRefresh, publicScope } from './public-links.ts';
import type { ProxyRules } from './rules.ts';
import { publicSetCookie } from './set-cookie.ts';

/** What the browser gets to see, with names as the server wrote them. */
export function responseHeaders(rawHeaders: HeaderList, rules: ProxyRules): HeaderList {
  const headers: HeaderList = [...(rules.ownHeaders ?? [])];
  const named = namedByConnection(rawHeaders);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const written = rawHeaders[index]!;
    const value = shown(written.toLowerCase(), rawHeaders[index + 1]!, rules, named);
    if (value !== undefined) headers.push(written, value);
  }
  return headers;
}

/** What stands behind a body. Browsers set no cookie there; others must not be made to. */
export function responseTrailers(rawTrailers: HeaderList, rules: ProxyRules): HeaderList {
  const isCookie = (index: number) => rawTrailers[index - (index % 2)]!.toLowerCase() === 'set-cookie';
  return responseHeaders(
    rawTrailers.filter((_, index) => !isCookie(index)),
    { ...rules, ownHeaders: [] },
  );
}

function shown(
  name: string,
  value: string,
  rules: ProxyRules,
  named: ReadonlySet<string> | undefined,
): string | undefined {
  if (isKeptFromClient(name) || named?.has(name)) return undefined;
  switch (name) {
    case 'set-cookie':
      return publicSetCookie(value, rules);
    case 'location':
    case 'content-location':
      return publicLink(value, rules);
    case 'refresh':
      return publicRefresh(value, rules);
    case 'service-worker-allowed':
      return publicScope(value, rules);
    case 'clear-site-data':
      // It would also clear what the gateway and other sessions have on this host.
      return rules.prefix === '' ? value : undefined;
    default:
      return value;
  }
}
