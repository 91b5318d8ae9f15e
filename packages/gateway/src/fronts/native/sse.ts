import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeSlowly } from '../../http/write-slowly.ts';

const heartbeatMs = 15_000;

export interface EventStream {
  /** Resolves when there is room for more. */
  send(...messages: StreamMessage[]): Promise<void>;
  end(): void;
}

export interface StreamMessage {
  id?: number | undefined;
  event?: string;
  /** One line. */
  data: string;
}

export function wantsEventStream({ method, headers }: IncomingMessage): boolean {
  return method !== 'HEAD' && (headers.accept ?? '').includes('text/event-stream');
}

/** Server-sent events, with a comment now and then so that nobody takes a quiet connection for a dead one. */
export function openEventStream(response: ServerResponse): EventStream {
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  }, heartbeatMs);
  response.on('close', () => clearInterval(heartbeat));
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  return {
    send: (...messages) => writeSlowly(response, messages.map(format).join('')),
    end: () => void response.end(),
  };
}

function format({ id, event, data }: StreamMessage): string {
  const head = (id === undefined ? '' : `id: ${id}\n`) + (event === undefined ? '' : `event: ${event}\n`);
  return `${head}data: ${data}\n\n`;
}
