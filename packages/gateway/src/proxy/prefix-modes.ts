import type { IncomingMessage } from 'node:http';
import { type HeaderList, headerValue } from './header-list.ts';
import { type FitCheck, UnfitAnswer } from './pass-request.ts';
import { isUnder } from './public-links.ts';
import { hasBody } from './request-body.ts';
import { type PrefixMode, type ProxyRules, publicOrigin } from './rules.ts';

const limit = 4096;

/** Which servers want to see the prefix, as far as that was learned. Those of which nothing is known do not. */
export class PrefixModes {
  /** In the order in which it was learned. */
  readonly #kept = new Set<string>();

  of(key: string): PrefixMode {
    return this.#kept.has(key) ? 'kept' : 'stripped';
  }

  learn(key: string, mode: PrefixMode): void {
    this.#kept.delete(key);
    if (mode === 'kept') this.#kept.add(key);
    if (this.#kept.size > limit) this.forget(this.#kept.values().next().value!);
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }
}

/**
 * A visit to the root of a place shows whether the server there was told of its prefix when it was started: asked in the
 * wrong way it finds nothing, or sends the browser to where it is already or away. It is asked in the other way then.
 */
export async function learnPrefixMode(
  modes: PrefixModes,
  key: string,
  request: IncomingMessage,
  rules: Omit<ProxyRules, 'prefixMode'>,
  pass: (rules: ProxyRules, isFit?: FitCheck) => Promise<void>,
): Promise<void> {
  const known = modes.of(key);
  if (!isRootVisit(request, rules.prefix)) return pass({ ...rules, prefixMode: known });
  let hasNothing = false;
  for (const prefixMode of [known, otherThan(known)]) {
    const tried = { ...rules, prefixMode };
    const isFit: FitCheck = (status, headers) => {
      const isRoot = status !== 404 && !leadsAstray(headers, tried);
      if (isRoot) modes.learn(key, prefixMode);
      const hasNothingEitherWay = hasNothing && status === 404;
      hasNothing = status === 404;
      return isRoot || hasNothingEitherWay;
    };
    try {
      return await pass(tried, isFit);
    } catch (error) {
      if (!(error instanceof UnfitAnswer)) throw error;
    }
  }
  return pass({ ...rules, prefixMode: known });
}

function isRootVisit(request: IncomingMessage, prefix: string): boolean {
  const { method, url = '' } = request;
  const isRepeatable = (method === 'GET' || method === 'HEAD') && !hasBody(request);
  return isRepeatable && prefix !== '' && url.split('?', 1)[0] === `${prefix}/`;
}

function otherThan(mode: PrefixMode): PrefixMode {
  return mode === 'kept' ? 'stripped' : 'kept';
}

/** To where the browser is already, or away from the place. Links to other sites say nothing of it. */
function leadsAstray(headers: HeaderList, rules: ProxyRules): boolean {
  const location = headerValue(headers, 'location') ?? '';
  const origin = publicOrigin(rules);
  const path = (location.startsWith(origin) ? location.slice(origin.length) : location).split(/[?#]/, 1)[0]!;
  if (!path.startsWith('/') || path.startsWith('//')) return false;
  return path === `${rules.prefix}/` || path === rules.prefix || !isUnder(path, rules.prefix);
}
