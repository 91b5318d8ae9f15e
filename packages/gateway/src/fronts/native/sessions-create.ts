import { answerText, check, type Exchange, type HttpRoute, parseJson, readText } from '@fairlead/http';
import { type CreateSessionRequest, createdSession, createSessionRequest } from '@fairlead/protocol';
import type { IdentifiedContext } from '../context.ts';
import { refusalOf } from '../refusal.ts';
import { createdView } from './session-view.ts';
import { openEventStream, wantsEventStream } from './sse.ts';

const bodyLimitBytes = 1024 * 1024;

export const route: HttpRoute<IdentifiedContext> = {
  summary: 'Create a session; with `Accept: text/event-stream` its progress is told on the way',
  document: () => ({
    body: { contentType: 'application/json', schema: createSessionRequest },
    answers: {
      201: { description: 'It runs; the only answer that shows its key', schema: createdSession },
      400: { description: 'A driver, image or workspace that cannot be used here' },
      403: { description: 'Not an owner, or a folder that this owner may not mount' },
      422: { description: 'Not JSON, or a field is wrong' },
      429: { description: 'The owner has as many sessions as it may have' },
      502: { description: 'The sandbox did not start' },
    },
  }),
  async handle(exchange) {
    const { request, response, gateway, identity } = exchange;
    const text = await readText(request, bodyLimitBytes);
    const wanted = check(createSessionRequest, text === '' ? {} : parseJson(text));
    if (wantsEventStream(request)) return createWithProgress(exchange, wanted);
    const record = await gateway.sessions.create(identity.owner, wanted);
    const body = JSON.stringify(createdView(exchange, record));
    answerText(response, body, 201, { location: `/api/sessions/${record.id}` });
  },
};

/** Images take their time: `progress` events, then one `created` or `error`. */
async function createWithProgress(
  exchange: Exchange<IdentifiedContext>,
  wanted: CreateSessionRequest,
): Promise<void> {
  const { response, gateway, identity } = exchange;
  const stream = openEventStream(response);
  try {
    const record = await gateway.sessions.create(identity.owner, wanted, {
      onProgress: (text) => void stream.send({ event: 'progress', data: JSON.stringify({ text }) }),
    });
    const session = createdView(exchange, record);
    await stream.send({ event: 'created', data: JSON.stringify({ session }) });
  } catch (error) {
    await stream.send({ event: 'error', data: JSON.stringify(refusalOf(error, gateway.log)) });
  } finally {
    stream.end();
  }
}
