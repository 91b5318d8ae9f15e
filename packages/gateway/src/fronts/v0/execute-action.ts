import { check, type HttpRoute, parseJson, readText } from '@fairlead/http';
import { actionHeaders, executeActionRequest, observationSchema } from '@fairlead/protocol';
import { actionLimitBytes, answerAction } from '../action-request.ts';
import type { SessionContext } from '../context.ts';
import { isOwner } from '../session-access.ts';

export const route: HttpRoute<SessionContext> = {
  summary: 'Execute an action, and answer with its observation',
  document: () => ({
    headers: actionHeaders,
    body: { contentType: 'application/json', schema: executeActionRequest },
    answers: {
      200: {
        description: 'The observation; what cannot be done is an `error` observation',
        schema: observationSchema,
      },
      400: { description: 'Not an action, or a wrong argument or header; nothing was executed' },
      409: { description: 'The chosen X-Action-Id is in use; nothing was executed' },
      413: { description: 'The body is larger than 64 MiB' },
      422: { description: 'Not JSON, no `action` object, or an Idempotency-Key with another body' },
      502: { description: 'The sandbox failed' },
      503: {
        description: 'The session does not run, and this is not its owner, who would resume it by this',
      },
    },
  }),
  async handle(exchange) {
    const text = await readText(exchange.request, actionLimitBytes);
    const { action: event } = check(executeActionRequest, parseJson(text));
    // A stock OpenHands client that is to keep its runtime alive would resume it itself on a 503, but waits for ever
    // then: it does so while it holds the lock that its own first command needs. It sends its owner's key along.
    const isToWake = isOwner(exchange.identity);
    await answerAction(exchange, { ...exchange, event, text, isToWake });
  },
};
