import { answerJson, HttpError, type HttpRoute } from '@fairlead/http';
import { instanceEvent, registryStats, windowInstance } from '@fairlead/protocol';
import { z } from 'zod';
import { noLongerValid } from '../../http/end-stream.ts';
import type { IdentifiedContext } from '../context.ts';
import { openEventStream, wantsEventStream } from '../native/sse.ts';

export const listRoute: HttpRoute<IdentifiedContext> = {
  summary: 'The VS Code windows that are connected; with `Accept: text/event-stream` each change of them',
  document: () => ({
    answers: {
      200: {
        description: 'As a stream: first all of them in one event, then each that comes, changes or goes',
        schema: z.union([z.array(windowInstance), instanceEvent]),
      },
    },
  }),
  async handle({ request, response, gateway, identity }) {
    const { instances, streams } = gateway;
    const ownerId = identity.owner.id;
    if (!wantsEventStream(request)) return answerJson(response, instances.list(ownerId));
    const gone = new AbortController();
    const stream = openEventStream(response);
    const leave = streams.add(identity, () => {
      void stream.send({ event: 'error', data: JSON.stringify(noLongerValid) });
      gone.abort();
    });
    response.on('close', () => {
      leave();
      gone.abort();
    });
    for await (const events of instances.watch(ownerId, gone.signal)) {
      await stream.send(...events.map((event) => ({ data: JSON.stringify(event) })));
    }
    stream.end();
  },
};

export const showRoute: HttpRoute<IdentifiedContext> = {
  summary: 'One window',
  document: () => ({
    answers: {
      200: { description: 'The window', schema: windowInstance },
      404: { description: 'It is not connected' },
    },
  }),
  async handle({ response, gateway, identity, params }) {
    const found = gateway.instances.find(identity.owner.id, params['instance'] ?? '');
    if (found === undefined) throw windowNotFound();
    answerJson(response, found);
  },
};

export const statsRoute: HttpRoute<IdentifiedContext> = {
  summary: 'How many windows there are',
  document: () => ({ answers: { 200: { description: 'Of this owner', schema: registryStats } } }),
  handle: ({ response, gateway, identity }) =>
    answerJson(response, gateway.instances.stats(identity.owner.id)),
};

/** The same words whether it is somebody else's or nobody's. */
export function windowNotFound(): HttpError {
  return new HttpError(404, 'Window not found: it is not connected');
}
