import type { WebSocket } from 'ws';
import { check, checkQuery, type HttpRoute, HttpError, type SocketRoute } from '@fairlead/http';
import { sessionEvent } from '@fairlead/protocol';
import { z } from 'zod';
import { begun } from '../../http/begun.ts';
import { noLongerValid } from '../../http/end-stream.ts';
import type { SessionContext } from '../context.ts';
import { openEventStream, type StreamMessage, wantsEventStream } from './sse.ts';

export const afterNumber = z.string().regex(/^\d{1,15}$/, 'use the last "seq" you have seen, 0 for all');
const eventsQuery = z.object({ after: afterNumber.optional() });
const eventsHeaders = z.object({ 'last-event-id': afterNumber.optional() });

/** The same events twice: as a WebSocket, and for those who cannot have one as server-sent events. */
export const socketRoute: SocketRoute<SessionContext> = {
  summary: 'What happens in the session: replay from any number on, then live',
  document: () => ({
    query: eventsQuery,
    answers: {
      101: { description: 'WebSocket; each text message is one event', schema: sessionEvent },
      400: { description: '`after` is beyond the last number' },
      422: { description: '`after` is not a number' },
    },
  }),
  async attach(socket, { gateway, session, query }) {
    const { after } = checkQuery(eventsQuery, query);
    const gone = new AbortController();
    socket.on('close', () => gone.abort());
    socket.on('message', () => socket.close(1008, 'the event stream takes no messages'));
    const batches = gateway.sessions.watch(session.id, { after: numberOf(after), signal: gone.signal });
    for await (const texts of batches) await sendAll(socket, texts);
    socket.close(1001, 'the stream has ended');
  },
};

export const streamRoute: HttpRoute<SessionContext> = {
  summary: 'What happens in the session, as a WebSocket or as server-sent events',
  document: () => ({
    query: eventsQuery,
    headers: eventsHeaders,
    answers: {
      200: {
        description: 'Each message is one event; what is in the journal has its number as `id`',
        contentType: 'text/event-stream',
        schema: sessionEvent,
      },
      101: { description: 'WebSocket; each text message is one event', schema: sessionEvent },
      400: { description: '`after` is beyond the last number' },
      422: { description: '`after` or `Last-Event-ID` is not a number' },
      426: { description: 'Neither a WebSocket nor `Accept: text/event-stream`' },
    },
  }),
  async handle({ request, response, gateway, identity, session, query }) {
    const { after } = checkQuery(eventsQuery, query);
    // A browser that reconnects asks for the same address again: what it has seen since counts.
    const { 'last-event-id': seen } = check(eventsHeaders, request.headers);
    if (!wantsEventStream(request)) throw upgradeRequired();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const watched = { after: numberOf(seen ?? after), signal: gone.signal };
    const batches = await begun(gateway.sessions.watch(session.id, watched));
    const stream = openEventStream(response);
    const leave = gateway.streams.add(identity, () => {
      void stream.send({ event: 'error', data: JSON.stringify(noLongerValid) });
      stream.end();
      gone.abort();
    });
    response.on('close', leave);
    for await (const texts of batches) await stream.send(...texts.map(toMessage));
    stream.end();
  },
};

/** Resolves when the last of them has left: a watcher that does not read is not sent more. */
async function sendAll(socket: WebSocket, texts: string[]): Promise<void> {
  const last = texts.length - 1;
  for (const text of texts.slice(0, last)) socket.send(text);
  if (last >= 0) await new Promise<void>((resolve) => socket.send(texts[last]!, () => resolve()));
}

function toMessage(text: string): StreamMessage {
  const { seq, type } = JSON.parse(text) as { seq?: number; type: string };
  // The number in `live` is nothing that could be asked for again.
  return { id: type === 'live' ? undefined : seq, data: text };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function upgradeRequired(): HttpError {
  const detail = 'Connect with a WebSocket, or send "Accept: text/event-stream" for server-sent events';
  return new HttpError(426, detail, {}, { upgrade: 'websocket' });
}
