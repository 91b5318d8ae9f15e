import type { IncomingMessage } from 'node:http';
import { HttpError } from '@fairlead/http';
import type { Identity } from '../auth/identity.ts';
import { wantsEventStream } from '../fronts/native/sse.ts';

/** Browsers send cookies unasked, so where something is changed or watched they must say for which page. */
export function checkCookieUse(request: IncomingMessage, { by }: Identity, isSocket: boolean): void {
  const { method, headers } = request;
  const isWatch = isSocket || wantsEventStream(request);
  const isSafe = by !== 'cookie' || (!isWatch && (method === 'GET' || method === 'HEAD'));
  if (isSafe || headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  throw new HttpError(403, 'A request with a cookie needs an Origin header; other clients send an API key');
}
