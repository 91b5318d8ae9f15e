import { hostName, isLoopback } from '@fairlead/http';
import { type ProxyRules, publicOrigin, toldOrigin } from './rules.ts';

const absoluteLink = /^(?:https?:)?\/\/([^/\\?#]*)(.*)$/is;
const refreshHeader = /^([\s\d.]*[;,]\s*(?:url\s*=\s*)?)(["']?)(.*?)(\2)\s*$/is;

/** Where a server sends the browser, as the browser has to see it. Links to other sites stay what they are. */
export function publicLink(link: string, rules: ProxyRules): string {
  const [, authority, rest = ''] = absoluteLink.exec(link) ?? [];
  if (authority !== undefined) {
    return isServersOwn(authority, rules) ? publicOrigin(rules) + publicPath(rest, rules) : link;
  }
  return /^\/(?!\\)/.test(link) ? publicPath(link, rules) : link;
}

/** A Refresh header: `5; url=/next`. */
export function publicRefresh(value: string, rules: ProxyRules): string {
  const [, start, quote, link, end] = refreshHeader.exec(value) ?? [];
  return link === undefined ? value : `${start}${quote}${publicLink(link, rules)}${end}`;
}

/** The widest scope that a service worker of this server may have. */
export function publicScope(scope: string, rules: ProxyRules): string {
  if (rules.prefix === '') return scope;
  const path = publicLink(scope, rules);
  return isUnder(path, rules.prefix) && !hasDotSegment(path) ? path : `${rules.prefix}/`;
}

/** The page that a request came from, by the server's own address; pages of the gateway are none of its business. */
export function toldReferer(referer: string, rules: ProxyRules): string | undefined {
  const origin = publicOrigin(rules);
  if (referer !== origin && !referer.startsWith(`${origin}/`)) return referer;
  const path = referer.slice(origin.length) || '/';
  if (!isUnder(path, rules.prefix)) return undefined;
  const told = rules.prefixMode === 'kept' ? path : path.slice(rules.prefix.length);
  return toldOrigin(rules) + (told.startsWith('/') ? told : `/${told}`);
}

/** Servers that know the prefix use it, others do not. */
function publicPath(path: string, { prefix, prefixMode }: ProxyRules): string {
  const whole = path.startsWith('/') ? path : `/${path}`;
  return prefixMode === 'kept' || isUnder(whole, prefix) ? whole : prefix + whole;
}

/** Not by its beginning alone: `/apps/a-10` is not under `/apps/a-1`. */
export function isUnder(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  const next = path[prefix.length];
  return next === undefined || next === '/' || next === '?' || next === '#';
}

function hasDotSegment(path: string): boolean {
  return /(^|[/\\])(\.|%2e){1,2}($|[/\\?#])/i.test(path);
}

function isServersOwn(authority: string, { host, publicHost }: ProxyRules): boolean {
  const name = authority.toLowerCase();
  if (name === host.toLowerCase() || name === publicHost.toLowerCase()) return true;
  // One that listens on loopback calls itself by any of its names.
  return isHere(name) && isHere(host) && portOf(name) === portOf(host);
}

function isHere(authority: string): boolean {
  const name = hostName(authority);
  return isLoopback(name) || name === '0.0.0.0' || name === '::';
}

function portOf(authority: string): string {
  return /:(\d+)$/.exec(authority)?.[1] ?? '80';
}
