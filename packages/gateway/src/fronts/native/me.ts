import { answerJson, type HttpRoute } from '@fairlead/http';
import type { IdentifiedContext } from '../context.ts';

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'Whose credential this is, and what it opens',
  document: (z) => ({
    answers: {
      200: {
        description: '`session` is the one session that it opens, null for all of the owner',
        schema: z.object({
          owner: z.object({ name: z.string(), role: z.enum(['operator', 'tenant']) }),
          session: z.string().nullable(),
        }),
      },
    },
  }),
  handle({ response, identity: { owner, sessionId } }) {
    answerJson(response, { owner: { name: owner.name, role: owner.role }, session: sessionId });
  },
};
