import { answerJson, type HttpRoute } from '@fairlead/http';
import { session as sessionSchema } from '@fairlead/protocol';
import type { SessionContext } from '../context.ts';
import { sessionView } from './session-view.ts';

export const route: HttpRoute<SessionContext> = {
  summary: 'One session',
  document: () => ({ answers: { 200: { description: 'As it is now', schema: sessionSchema } } }),
  handle: (exchange) => answerJson(exchange.response, sessionView(exchange, exchange.session)),
};
