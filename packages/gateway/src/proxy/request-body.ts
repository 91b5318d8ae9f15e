import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Two servers might see the end of such a request at two places. The parser refuses most of them itself. */
export function hasDoubtfulEnd({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return false;
  return coding.toLowerCase() !== 'chunked' || headers['content-length'] !== undefined;
}

/**
 * The body of a request, to be sent on. Not the request itself, which would take its connection with it when the server
 * does not want the rest.
 */
export function bodyOf(request: IncomingMessage): Readable | null {
  if (!hasBody(request)) return null;
  const body = new PassThrough();
  body.on('error', () => undefined);
  request.on('close', () => {
    if (!request.complete) body.destroy(new Error('The client has left'));
  });
  return request.pipe(body);
}

/** Reads what the server does not want and throws it away: the client reads its answer only when it has sent all. */
export function dropRest(request: IncomingMessage): void {
  if (!request.complete) request.unpipe().resume();
}
