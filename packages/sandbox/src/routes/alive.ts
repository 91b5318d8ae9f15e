import { answerJson, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

/** The server listens only when it is ready, so an answer is always a yes. */
export const route: HttpRoute<Context> = {
  summary: 'Is the server ready',
  document: (z) => ({
    answers: { 200: { description: 'Ready', schema: z.object({ status: z.literal('ok') }) } },
  }),
  handle: ({ response }) => answerJson(response, { status: 'ok' }),
};
