import { answerJson, type HttpRoute } from '@fairlead/http';
import type { SessionContext } from '../context.ts';
import { runtimeView, viewRuntime } from './runtime-view.ts';

export const route: HttpRoute<SessionContext> = {
  summary: 'The runtime by its id',
  document: () => ({ answers: { 200: { description: 'As it is now', schema: runtimeView } } }),
  handle: (exchange) => answerJson(exchange.response, viewRuntime(exchange, exchange.session)),
};
