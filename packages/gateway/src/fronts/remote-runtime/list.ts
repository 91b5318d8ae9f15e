import { answerJson, type HttpRoute } from '@fairlead/http';
import type { IdentifiedContext } from '../context.ts';
import { runtimeView, viewRuntime } from './runtime-view.ts';

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'The runtimes that were started here',
  document: (z) => ({
    answers: {
      200: { description: 'Newest first', schema: z.object({ runtimes: z.array(runtimeView) }) },
    },
  }),
  async handle(exchange) {
    const { response, gateway, identity } = exchange;
    const sessions = await gateway.sessions.list(identity.owner.id);
    const started = sessions.filter(({ externalId }) => externalId !== null);
    answerJson(response, { runtimes: started.map((session) => viewRuntime(exchange, session)) });
  },
};
