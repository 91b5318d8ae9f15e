import type { WebSocket } from 'ws';
import { checkQuery, type SocketRoute } from '@fairlead/http';
import { streamEvent, type StreamEvent } from '@fairlead/protocol';
import type { EventStream } from '../journal/event-stream.ts';
import type { Context } from '../sandbox.ts';
import { eventsQuery } from '../schemas.ts';

const bufferLimitBytes = 1024 * 1024;
const eventsPerTurn = 256;
/** In characters. */
const longEvent = 65_536;

export const route: SocketRoute<Context> = {
  summary: 'Actions, live output and observations, from any number on',
  document: () => ({
    query: eventsQuery,
    answers: {
      101: { description: 'WebSocket; each text message is one event', schema: streamEvent },
      422: { description: '`after` is not a number, or `brief` not true or false' },
    },
  }),
  attach(socket, { sandbox, query }) {
    const { after, brief } = checkQuery(eventsQuery, query);
    const { events } = sandbox;
    if (after !== undefined && Number(after) > events.lastSeq) {
      return socket.close(1008, `after=${after} is beyond the last number, ${events.lastSeq}`);
    }
    const afterSeq = after === undefined ? events.lastSeq : Number(after);
    follow(socket, events, afterSeq, brief === 'true' ? withoutLongEvent : (text) => text);
  },
};

/** Sends what comes after the number; holds nothing but that number while the watcher is too slow. */
function follow(
  socket: WebSocket,
  events: EventStream,
  afterSeq: number,
  tell: (text: string) => string,
): void {
  let seenSeq = afterSeq;
  let isScheduled = false;
  const stop = events.onChange(schedule);
  socket.on('close', stop);
  socket.on('message', () => socket.close(1008, 'the event stream takes no messages'));
  schedule();

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(pump);
  }

  function pump(): void {
    isScheduled = false;
    for (let sent = 0; sent < eventsPerTurn; sent += 1) {
      if (socket.readyState !== socket.OPEN || socket.bufferedAmount > bufferLimitBytes) return;
      const event = events.next(seenSeq);
      if (event === undefined) return;
      seenSeq = event.seq;
      socket.send(tell(event.text), onSent);
    }
    schedule();
  }

  function onSent(): void {
    if (seenSeq < events.lastSeq) schedule();
  }
}

function withoutLongEvent(text: string): string {
  if (text.length < longEvent) return text;
  const event = JSON.parse(text) as StreamEvent;
  return 'event' in event ? JSON.stringify({ ...event, event: {} }) : text;
}
