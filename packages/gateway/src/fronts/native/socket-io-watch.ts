import { check } from '@fairlead/http';
import type { SessionEvent } from '@fairlead/protocol';
import type { Socket } from 'socket.io';
import { z } from 'zod';
import { begun } from '../../http/begun.ts';
import type { IdentifiedContext } from '../context.ts';
import { type Refusal, refusalOf } from '../refusal.ts';
import { openSession } from '../session-access.ts';

/** A watcher that has not taken a batch by then is disconnected; it comes back with the number it has seen. */
const acknowledgementMs = 60_000;

const watchRequest = z.object({ session: z.string(), after: z.int().nonnegative().optional() });

type WatchAnswer = { ok: true } | ({ ok: false } & Refusal);

/** `watch` begins a watch in place of the one before, `unwatch` ends it. */
export function serveWatches(socket: Socket, context: IdentifiedContext): void {
  const { log } = context.gateway;
  let current = new AbortController();
  socket.on('disconnect', () => current.abort());
  socket.on('unwatch', () => current.abort());
  socket.on('watch', (wanted: unknown, answer: unknown) => {
    current.abort();
    current = new AbortController();
    void serve(wanted, asAnswer(answer), current.signal);
  });

  async function serve(
    wanted: unknown,
    answer: (told: WatchAnswer) => void,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const batches = await open(context, wanted, signal);
      answer({ ok: true });
      await tell(socket, batches, signal);
      if (!signal.aborted) socket.disconnect(true);
    } catch (error) {
      // Only the first answer counts; who has had it comes back and asks again.
      answer({ ok: false, ...refusalOf(error, log) });
    }
  }
}

async function open(
  context: IdentifiedContext,
  wanted: unknown,
  signal: AbortSignal,
): Promise<AsyncIterable<string[]>> {
  const { session, after } = check(watchRequest, wanted);
  const { id } = await openSession(context, session);
  return begun(context.gateway.sessions.watch(id, { after, signal }));
}

/** The next batch only when the one before has been taken: what a slow watcher misses is the watch's to decide. */
async function tell(socket: Socket, batches: AsyncIterable<string[]>, signal: AbortSignal): Promise<void> {
  for await (const texts of batches) {
    const events = texts.map((text) => JSON.parse(text) as SessionEvent);
    if (!(await isTaken(socket, events, signal))) return;
  }
}

function isTaken(socket: Socket, events: SessionEvent[], signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isTaken: boolean) => {
      signal.removeEventListener('abort', onAbort);
      resolve(isTaken);
    };
    const onAbort = () => settle(false);
    signal.addEventListener('abort', onAbort);
    socket.timeout(acknowledgementMs).emit('events', events, (error: Error | null) => settle(error === null));
  });
}

function asAnswer(given: unknown): (told: WatchAnswer) => void {
  return typeof given === 'function' ? (given as (told: WatchAnswer) => void) : () => undefined;
}
