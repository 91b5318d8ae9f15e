import { answerJson, type HttpRoute, ticketLifetimeSeconds } from '@fairlead/http';
import type { MachineContext } from '../sandbox.ts';

export const route: HttpRoute<MachineContext> = {
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
    answerJson(response, { ticket: sandbox.tickets.issue(true), expires_in: ticketLifetimeSeconds }, 201),
};
