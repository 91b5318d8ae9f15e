import { answerJson, type HttpRoute } from '@fairlead/http';
import { portList, type SessionPort, type ShownPort } from '@fairlead/protocol';
import { begun } from '../../http/begun.ts';
import type { Place } from '../../proxy/places.ts';
import { watchPorts } from '../../web/watch-ports.ts';
import type { SessionContext } from '../context.ts';
import { openEventStream, wantsEventStream } from './sse.ts';

export const route: HttpRoute<SessionContext> = {
  summary:
    'The ports that processes of the session listen on, and its app ports; with `Accept: text/event-stream` again at each change',
  document: () => ({
    answers: {
      200: { description: 'App ports first. As a stream each message is the whole list', schema: portList },
      502: { description: 'The sandbox did not answer' },
    },
  }),
  async handle({ request, response, gateway, session }) {
    const show = (ports: SessionPort[]) => ({ ports: ports.map(shown) });
    if (!wantsEventStream(request)) {
      return answerJson(response, show(await gateway.places.ports(session.id)));
    }
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const lists = await begun(watchPorts(gateway.places, session.id, gone.signal));
    const stream = openEventStream(response);
    for await (const ports of lists) await stream.send({ data: JSON.stringify(show(ports)) });
    stream.end();

    function shown(port: SessionPort): ShownPort {
      return { ...port, url: gateway.urls.placeUrl(placeOf(session.id, port), request) };
    }
  },
};

function placeOf(sessionId: string, { port, number }: SessionPort): Place {
  return number === null ? { kind: 'app', sessionId, port } : { kind: 'numbered-app', sessionId, number };
}
