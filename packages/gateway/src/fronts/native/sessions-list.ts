import { answerJson, check, type HttpRoute } from '@fairlead/http';
import { session, sessionState } from '@fairlead/protocol';
import { z } from 'zod';
import type { IdentifiedContext } from '../context.ts';
import { sessionView } from './session-view.ts';

/** Both may be repeated. */
const listQuery = z.object({
  state: sessionState.optional(),
  label: z
    .string()
    .regex(/^[^=]+=/s, 'use label=name=value')
    .optional(),
});

export const route: HttpRoute<IdentifiedContext> = {
  summary: "The owner's sessions, newest first",
  document: (zod) => ({
    query: listQuery,
    answers: {
      200: {
        description: 'Those in any of the given states and with all of the given labels',
        schema: zod.object({ sessions: zod.array(session) }),
      },
      403: { description: 'A session key' },
      422: { description: 'A wrong `state` or `label`' },
    },
  }),
  async handle(exchange) {
    const { response, query, gateway, identity } = exchange;
    const states = check(z.array(listQuery.shape.state.unwrap()), query.getAll('state'));
    const given = check(z.array(listQuery.shape.label.unwrap()), query.getAll('label'));
    const labels = Object.fromEntries(given.map(splitLabel));
    const records = await gateway.sessions.list(identity.owner.id, {
      ...(states.length > 0 && { states }),
      ...(given.length > 0 && { labels }),
    });
    answerJson(response, { sessions: records.map((record) => sessionView(exchange, record)) });
  },
};

function splitLabel(text: string): [string, string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals), text.slice(equals + 1)];
}
