import { answerJson, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

export const route: HttpRoute<Context> = {
  summary: 'Token of the web VS Code; null because this server starts none',
  document: (z) => ({
    answers: { 200: { description: 'The token', schema: z.object({ token: z.string().nullable() }) } },
  }),
  handle: ({ response }) => answerJson(response, { token: null }),
};
