import { answerText, describeRoutes, type HttpRoute } from '@fairlead/http';
import type { IdentifiedContext } from '../context.ts';

let text: Promise<string> | undefined;

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'This description',
  document: (z) => ({
    answers: { 200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } },
  }),
  async handle({ response, routes }) {
    text ??= describeRoutes(routes, {
      title: 'Fairlead gateway',
      security: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        sessionKey: { type: 'apiKey', in: 'header', name: 'X-Session-API-Key' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'fairlead' },
      },
      refusals: {
        401: { description: 'No credential, or one that is not valid; 403 under /runtimes' },
        403: { description: 'A foreign Host or Origin, or a credential that does not reach this far' },
        429: { description: 'Too many requests; see Retry-After' },
      },
    }).then((api) => JSON.stringify(api));
    answerText(response, await text);
  },
};
