import type { ServerResponse } from 'node:http';
import { checkQuery, type HttpRoute, HttpError } from '@fairlead/http';
import { z } from 'zod';
import { loginCookie } from '../../auth/cookies.ts';
import type { OpenContext } from '../context.ts';

const loginQuery = z.object({ ticket: z.string(), to: z.string().optional() });

export const route: HttpRoute<OpenContext> = {
  summary: 'Exchange a ticket for a cookie, for browsers',
  document: () => ({
    query: loginQuery,
    answers: {
      303: { description: 'To the path `to` of this server, with the cookie' },
      401: { description: 'The ticket is unknown, used or too old: a page that says so' },
    },
  }),
  async handle({ request, response, query, gateway }) {
    const { ticket, to } = checkQuery(loginQuery, query);
    // Whoever only looks at a link must not use it up.
    if (request.method === 'HEAD') return void response.writeHead(200, pageHeaders).end();
    const identity = await gateway.gatekeeper.byTicket(request, ticket).catch(orBadTicket);
    if (identity === undefined) return answerPage(response, 401, badTicketPage);
    const { owner, keyId, sessionId } = identity;
    const value = await gateway.logins.begin({ ownerId: owner.id, keyId, sessionId });
    response.writeHead(303, {
      ...pageHeaders,
      location: localPath(to ?? `${gateway.urls.basePath}/`),
      'set-cookie': loginCookie(value, gateway.urls),
    });
    response.end();
  },
};

const pageHeaders = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const badTicketPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>This link does not work any more</title>
<h1>This link does not work any more</h1>
<p>It works once, and for 30 seconds. Ask for a new one where you got it from.</p>
</html>
`;

function orBadTicket(error: unknown): undefined {
  if (!(error instanceof HttpError) || error.status !== 401) throw error;
}

function answerPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { ...pageHeaders, 'content-type': 'text/html; charset=utf-8' });
  response.end(page);
}

/** A place on this server, whatever a link has been made to say. */
function localPath(to: string): string {
  const base = 'http://here.invalid';
  const url = URL.canParse(to, base) ? new URL(to, base) : undefined;
  if (!to.startsWith('/') || url?.origin !== base) return '/';
  const path = `${url.pathname}${url.search}${url.hash}`;
  // "/.//elsewhere" comes out as "//elsewhere".
  return path.startsWith('//') ? '/' : path;
}
