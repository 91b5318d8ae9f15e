import { answerJson, HttpError, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

/** Answers at once; the action's own request gets its observation as soon as the executor has stopped it. */
export const route: HttpRoute<Context> = {
  summary: 'Cancel a running action',
  document: (z) => ({
    answers: {
      202: { description: 'It is being interrupted', schema: z.object({ detail: z.string() }) },
      404: { description: 'No action of that id is running' },
    },
  }),
  handle({ response, sandbox, params }) {
    const actionId = params['actionId']!;
    if (!sandbox.actions.cancel(actionId)) {
      throw new HttpError(404, `No running action "${actionId}"; GET /actions lists them`);
    }
    answerJson(response, { detail: `Cancelling ${actionId}` }, 202);
  },
};
