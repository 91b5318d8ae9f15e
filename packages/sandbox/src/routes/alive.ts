import { answerJson } from '../http/answer.ts';
import type { HttpRoute } from '../http/route.ts';

/** The server listens only when it is ready, so an answer is always a yes. */
export const route: HttpRoute = {
  summary: 'Is the server ready',
  document: (z) => ({
    answers: { 200: { description: 'Ready', schema: z.object({ status: z.literal('ok') }) } },
  }),
  handle: ({ response }) => answerJson(response, { status: 'ok' }),
};
