import type { ServerResponse } from 'node:http';
import type { HttpError } from './http-error.ts';

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  answerText(response, JSON.stringify(value), status);
}

/** For JSON that is text already. */
export function answerText(
  response: ServerResponse,
  json: string,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  });
  response.end(json);
}

export function answerError(response: ServerResponse, error: HttpError): void {
  const body = JSON.stringify({ detail: error.message, ...error.fields });
  answerText(response, body, error.status, error.headers);
}
