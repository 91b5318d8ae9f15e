import { answerJson } from '../http/answer.ts';
import type { HttpRoute } from '../http/route.ts';

export const route: HttpRoute = {
  summary: 'Token of the web VS Code; null because this server starts none',
  document: (z) => ({
    answers: { 200: { description: 'The token', schema: z.object({ token: z.string().nullable() }) } },
  }),
  handle: ({ response }) => answerJson(response, { token: null }),
};
