import { HttpError } from './http-error.ts';
import type { RouteEntry } from './route.ts';

export interface RouteMatch<Context extends object> {
  entry: RouteEntry<Context>;
  params: Record<string, string>;
}

/** Finds the entry for a request; refuses with 404, or 405 and what would be allowed. */
export function createRouter<Context extends object>(
  table: readonly RouteEntry<Context>[],
): (method: string, path: string) => RouteMatch<Context> {
  const fixed = new Map<string, RouteEntry<Context>[]>();
  const patterns: { pattern: RegExp; entry: RouteEntry<Context> }[] = [];
  for (const entry of table) {
    if (entry.path.includes('{')) patterns.push({ pattern: patternOf(entry.path), entry });
    else fixed.set(entry.path, [...(fixed.get(entry.path) ?? []), entry]);
  }

  return (method, path) => {
    const candidates = fixed.get(path)?.map((entry) => ({ entry, params: {} })) ?? matchPatterns(path);
    if (candidates.length === 0) throw new HttpError(404, 'Not Found');
    const wanted = method === 'HEAD' ? 'GET' : method;
    const match = candidates.find(({ entry }) => entry.method === wanted);
    if (match === undefined) throw methodNotAllowed(candidates.map(({ entry }) => entry.method));
    return match;
  };

  function matchPatterns(path: string): RouteMatch<Context>[] {
    return patterns.flatMap(({ pattern, entry }) => {
      const groups = pattern.exec(path)?.groups;
      return groups === undefined ? [] : [{ entry, params: decodeParams(groups) }];
    });
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

function decodeParams(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeSegment(name, text)]));
}

function decodeSegment(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400, `${name}: "${text}" is not valid percent-encoding`);
  }
}

function methodNotAllowed(methods: string[]): HttpError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new HttpError(405, 'Method Not Allowed', {}, { allow: allowed.join(', ') });
}
