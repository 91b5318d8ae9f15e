import { answerJson, HttpError, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

export const route: HttpRoute<Context> = {
  summary: 'End a shell and everything it started; the next action for it gets a fresh one',
  document: (z) => ({
    answers: {
      200: { description: 'Ended', schema: z.object({ detail: z.string() }) },
      404: { description: 'No such shell is open' },
    },
  }),
  async handle({ response, sandbox, params }) {
    const name = params['name']!;
    if (!(await sandbox.executor.shells.end(name))) {
      throw new HttpError(404, `No open shell "${name}"; GET /shells lists them`);
    }
    sandbox.viewers.end(name);
    answerJson(response, { detail: `Ended shell ${name}` });
  },
};
