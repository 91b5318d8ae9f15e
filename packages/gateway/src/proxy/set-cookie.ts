import { isOurCookieName } from './credentials.ts';
import { isUnder } from './public-links.ts';
import type { ProxyRules } from './rules.ts';

/**
 * A Set-Cookie header for the browser: the cookie goes back to this server alone, never to another session's. Undefined
 * where it may not be set at all.
 */
export function publicSetCookie(text: string, rules: ProxyRules): string | undefined {
  const [pair = '', ...attributes] = text.split(';');
  const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
  // One without a name is sent back as its value alone, which could look like any cookie.
  if (name === '' || isOurCookieName(name)) return undefined;
  const kept = attributes.filter((attribute) => !/^\s*(domain|path)\s*(=|$)/i.test(attribute));
  const path = publicCookiePath(pathOf(attributes), rules);
  if (path !== undefined) kept.push(` Path=${path}`);
  const isSecure = kept.some((attribute) => /^\s*secure\s*$/i.test(attribute));
  if (rules.publicProtocol === 'https' && !isSecure) kept.push(' Secure');
  return [pair, ...kept].join(';');
}

/** As browsers read it: the last one counts, and one that is no absolute path counts as none. */
function pathOf(attributes: string[]): string | undefined {
  const last = attributes.findLast((attribute) => /^\s*path\s*(=|$)/i.test(attribute));
  const path = last?.slice(last.indexOf('=') + 1).trim();
  return path?.startsWith('/') ? path : undefined;
}

function publicCookiePath(path: string | undefined, { prefix, prefixMode }: ProxyRules): string | undefined {
  if (prefix === '') return path;
  // What a browser makes of a missing path can lie above the prefix.
  if (path === undefined) return `${prefix}/`;
  if (isUnder(path, prefix)) return path;
  return prefixMode === 'kept' ? `${prefix}/` : prefix + path;
}
