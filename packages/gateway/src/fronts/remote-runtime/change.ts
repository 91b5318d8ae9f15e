import { answerJson, check, type HttpRoute, readJson } from '@fairlead/http';
import type { SessionState } from '@fairlead/protocol';
import { z } from 'zod';
import type { SessionRecord } from '../../store/store.ts';
import type { IdentifiedContext } from '../context.ts';
import { openSession } from '../session-access.ts';
import type { SessionsApi } from '../../sessions/sessions-api.ts';
import { runtimeView, viewRuntime } from './runtime-view.ts';

const bodyLimitBytes = 1024 * 1024;
/** A client whose start has failed also stops the runtime that it has not got. */
const changeRequest = z.looseObject({ runtime_id: z.string().nullable() });

export const pauseRoute = changeRoute(
  'Pause a runtime',
  ['paused', 'stopped', 'failed'],
  (sessions, { id }) => sessions.pause(id),
);

export const resumeRoute = changeRoute('Resume a runtime', ['running', 'starting'], (sessions, { id }) =>
  sessions.resume(id),
);

export const stopRoute = changeRoute('Stop a runtime', ['stopped', 'failed'], (sessions, { id }) =>
  sessions.stop(id, 'stopped by its owner'),
);

/** A runtime that is where it should be already is left alone: clients take a refusal for a failure. */
function changeRoute(
  summary: string,
  isThere: SessionState[],
  change: (sessions: SessionsApi, session: SessionRecord) => Promise<SessionRecord>,
): HttpRoute<IdentifiedContext> {
  return {
    summary,
    document: () => ({
      body: { contentType: 'application/json', schema: changeRequest },
      answers: {
        200: { description: 'Done; nothing is told where `runtime_id` is null', schema: runtimeView },
        404: { description: 'There is no such runtime' },
        409: { description: 'It is in a state that does not allow it' },
      },
    }),
    async handle(exchange) {
      const { request, response, gateway } = exchange;
      const { runtime_id: id } = check(changeRequest, await readJson(request, bodyLimitBytes));
      if (id === null) return answerJson(response, {});
      const session = await openSession(exchange, id);
      const isDone = isThere.includes(session.state);
      answerJson(response, viewRuntime(exchange, isDone ? session : await change(gateway.sessions, session)));
    },
  };
}
