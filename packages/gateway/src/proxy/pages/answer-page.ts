import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Page, pagePolicy, renderPage } from './page.ts';
import { wantsHtml } from './wants-html.ts';

/** To a browser as a page, to a program as JSON. Where an answer has begun already, it breaks off. */
export function answerPage(request: IncomingMessage, response: ServerResponse, page: Page): void {
  if (response.headersSent) return void response.destroy();
  const isHtml = wantsHtml(request.headers.accept);
  const body = Buffer.from(isHtml ? renderPage(page) : renderJson(page));
  response.writeHead(page.status, {
    'content-type': isHtml ? 'text/html; charset=utf-8' : 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    // A form of a page that tells nobody where it is would not tell the gateway either.
    'referrer-policy': page.button === undefined ? 'no-referrer' : 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: 'accept',
    ...(isHtml && { 'content-security-policy': pagePolicy }),
    ...(page.retryAfterSeconds !== undefined && { 'retry-after': String(page.retryAfterSeconds) }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function renderJson({ title, lines, command }: Page): string {
  const detail = [title, ...lines.slice(0, 1), ...(command === undefined ? [] : [command])].join(': ');
  return JSON.stringify({ detail });
}
