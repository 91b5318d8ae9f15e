import { answerJson, type HttpRoute } from '@fairlead/http';
import type { IdentifiedContext } from '../context.ts';
import { sessionNotFound } from '../session-access.ts';
import { runtimeView, viewRuntime } from './runtime-view.ts';

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'The runtime by the name that the client has given it',
  document: () => ({
    answers: {
      200: { description: 'There is one', schema: runtimeView },
      404: { description: 'There is none' },
    },
  }),
  async handle(exchange) {
    const { response, params, gateway, identity } = exchange;
    const session = await gateway.sessions.findByExternalId(identity.owner.id, params['name']!);
    if (session === undefined) throw sessionNotFound();
    answerJson(response, viewRuntime(exchange, session));
  },
};
