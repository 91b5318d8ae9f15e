import { answerJson, type HttpRoute } from '@fairlead/http';
import type { OpenContext } from '../context.ts';

export const route: HttpRoute<OpenContext> = {
  summary: 'Is the gateway there',
  document: (z) => ({
    answers: { 200: { description: 'Yes', schema: z.object({ status: z.literal('ok') }) } },
  }),
  handle: ({ response }) => answerJson(response, { status: 'ok' }),
};
