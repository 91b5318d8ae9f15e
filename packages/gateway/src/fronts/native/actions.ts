import { check, type HttpRoute, parseJson, readText } from '@fairlead/http';
import { actionHeaders, observationSchema } from '@fairlead/protocol';
import { z } from 'zod';
import { actionLimitBytes, answerAction } from '../action-request.ts';
import type { SessionContext } from '../context.ts';

/** The event itself; `decodeAction` says what is wrong with it. */
const actionBody = z.record(z.string(), z.unknown());

export const route: HttpRoute<SessionContext> = {
  summary: 'Execute an action, and answer with its observation',
  document: () => ({
    headers: actionHeaders,
    body: { contentType: 'application/json', schema: actionBody },
    answers: {
      200: {
        description: 'The observation; what cannot be done is an `error` observation',
        schema: observationSchema,
      },
      400: { description: 'Not an action, or a wrong argument or header; nothing was executed' },
      409: { description: 'The session does not run, or the chosen X-Action-Id is in use' },
      413: { description: 'The body is larger than 64 MiB' },
      422: { description: 'Not a JSON object, or an Idempotency-Key with another body' },
      502: { description: 'The sandbox failed' },
    },
  }),
  async handle(exchange) {
    const text = await readText(exchange.request, actionLimitBytes);
    const event = check(actionBody, parseJson(text));
    await answerAction(exchange, { ...exchange, event, text });
  },
};
