import {
  answerJson,
  check,
  type HttpRoute,
  parseJson,
  readText,
  ticketLifetimeSeconds,
} from '@fairlead/http';
import { z } from 'zod';
import type { IdentifiedContext } from '../context.ts';
import { openSession } from '../session-access.ts';

const bodyLimitBytes = 1024 * 1024;
const ticketRequest = z.strictObject({
  /** The only session that the ticket is to open. */
  session: z.string().optional(),
});

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'A ticket that opens one WebSocket with `?ticket=…`, or is exchanged for a cookie at `/login`',
  document: (zod) => ({
    body: { contentType: 'application/json', schema: ticketRequest },
    answers: {
      201: {
        description: 'Valid once, for the given seconds, and for no more than the key it was asked for with',
        schema: zod.object({ ticket: zod.string(), expiresInSeconds: zod.int() }),
      },
      404: { description: 'There is no such session' },
      422: { description: '`session` is not an id' },
    },
  }),
  async handle(exchange) {
    const { request, response, gateway, identity } = exchange;
    const text = await readText(request, bodyLimitBytes);
    const wanted = check(ticketRequest, text === '' ? {} : parseJson(text)).session;
    const sessionId = wanted === undefined ? identity.sessionId : (await openSession(exchange, wanted)).id;
    const { owner, keyId, loginHash } = identity;
    const grant = { ownerId: owner.id, keyId, sessionId, ...(loginHash && { loginHash }) };
    const ticket = gateway.logins.issueTicket(grant);
    answerJson(response, { ticket, expiresInSeconds: ticketLifetimeSeconds }, 201);
  },
};
