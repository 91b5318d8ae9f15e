import { answerText, describeRoutes, type HttpRoute } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

const api = {
  title: 'Fairlead sandbox',
  security: { sessionKey: { type: 'apiKey', in: 'header', name: 'X-Session-API-Key' } },
  refusals: { 403: { description: 'Invalid API Key, or a foreign Host or Origin' } },
};
let text: Promise<string> | undefined;

export const route: HttpRoute<Context> = {
  summary: 'This description',
  document: (z) => ({
    answers: { 200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } },
  }),
  async handle({ response, routes }) {
    text ??= describeRoutes(routes, api).then((description) => JSON.stringify(description));
    answerText(response, await text);
  },
};
