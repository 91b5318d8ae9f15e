import { answerJson, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

export const route: HttpRoute<Context> = {
  summary: 'Actions that are running now',
  document: (z) => {
    const running = z.object({
      actionId: z.string(),
      action: z.string(),
      shell: z.string(),
      startedAt: z.iso.datetime(),
    });
    const schema = z.object({ actions: z.array(running) });
    return { answers: { 200: { description: 'Oldest first', schema } } };
  },
  handle: ({ response, sandbox }) => answerJson(response, { actions: sandbox.actions.list() }),
};
