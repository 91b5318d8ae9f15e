import { answerJson } from '../http/answer.ts';
import type { HttpRoute } from '../http/route.ts';
import { ticketLifetimeSeconds } from '../http/tickets.ts';

export const route: HttpRoute = {
  summary: 'A ticket that opens one WebSocket in place of the key: `?ticket=…`',
  document: (z) => ({
    answers: {
      201: {
        description: 'Valid once, for the given seconds',
        schema: z.object({ ticket: z.string(), expires_in: z.int() }),
      },
    },
  }),
  handle: ({ response, sandbox }) =>
    answerJson(response, { ticket: sandbox.tickets.issue(), expires_in: ticketLifetimeSeconds }, 201),
};
