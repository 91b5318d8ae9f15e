import { answerJson, check, type HttpRoute, parseJson, readText } from '@fairlead/http';
import { extendSessionRequest, session as sessionSchema } from '@fairlead/protocol';
import type { SessionRecord } from '../../store/store.ts';
import type { GatewayCore, SessionContext } from '../context.ts';
import { sessionView } from './session-view.ts';

const bodyLimitBytes = 1024 * 1024;

export const pauseRoute = changeRoute('Stop all its processes where they are', ({ sessions }, { id }) =>
  sessions.pause(id),
);

export const resumeRoute = changeRoute(
  'Let a paused, stopped or failed session run',
  ({ sessions }, { id }) => sessions.resume(id),
);

export const stopRoute = changeRoute('End all its processes and keep its workspace', ({ sessions }, { id }) =>
  sessions.stop(id, 'stopped by its owner'),
);

export const extendRoute: HttpRoute<SessionContext> = {
  summary: 'Start its idle time anew, and with `seconds` let it live for that long from now at least',
  document: () => ({
    body: { contentType: 'application/json', schema: extendSessionRequest },
    answers: {
      200: { description: 'The session', schema: sessionSchema },
      422: { description: '`seconds` is not a positive number' },
    },
  }),
  async handle(exchange) {
    const { request, response, gateway, session } = exchange;
    const text = await readText(request, bodyLimitBytes);
    const { seconds } = check(extendSessionRequest, text === '' ? {} : parseJson(text));
    answerJson(response, sessionView(exchange, await gateway.sessions.extend(session.id, seconds)));
  },
};

function changeRoute(
  summary: string,
  change: (gateway: GatewayCore, session: SessionRecord) => Promise<SessionRecord>,
): HttpRoute<SessionContext> {
  return {
    summary,
    document: () => ({
      answers: {
        200: { description: 'The session', schema: sessionSchema },
        409: { description: 'It is in a state that does not allow it' },
      },
    }),
    async handle(exchange) {
      const { response, gateway, session } = exchange;
      answerJson(response, sessionView(exchange, await change(gateway, session)));
    },
  };
}
