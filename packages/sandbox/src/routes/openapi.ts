import { answerText } from '../http/answer.ts';
import type { HttpRoute } from '../http/route.ts';

let text: Promise<string> | undefined;

export const route: HttpRoute = {
  summary: 'This description',
  document: (z) => ({
    answers: { 200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } },
  }),
  async handle({ response, routes }) {
    text ??= import('../openapi.ts')
      .then(({ describeRoutes }) => describeRoutes(routes))
      .then((api) => JSON.stringify(api));
    answerText(response, await text);
  },
};
