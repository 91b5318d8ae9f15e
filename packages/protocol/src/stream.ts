import { z } from 'zod';

/**
 * The event stream of a sandbox, one JSON object a WebSocket message, in the order of `seq`.
 * A watcher that was away reconnects with `after`: the last `seq` it has seen.
 */
const stamped = { seq: z.int().positive(), time: z.iso.datetime() };

export const streamEvent = z.discriminatedUnion('type', [
  z.object({
    ...stamped,
    type: z.literal('action'),
    /** Names one action on this stream, on `cancel`, and after a restart. */
    actionId: z.string(),
    shell: z.string(),
    event: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ...stamped,
    type: z.literal('output'),
    actionId: z.string().nullable(),
    shell: z.string(),
    /** Terminal bytes decoded as UTF-8, colours and all. A character is never split over two events. */
    data: z.string(),
  }),
  z.object({
    ...stamped,
    type: z.literal('observation'),
    actionId: z.string(),
    event: z.record(z.string(), z.unknown()),
  }),
  /** Output that was not kept any more when the watcher asked for it, or that it was too slow for. */
  z.object({ type: z.literal('gap'), fromSeq: z.int(), toSeq: z.int() }),
]);
export type StreamEvent = z.infer<typeof streamEvent>;

/** What a person's terminal sends as a text message; binary messages are keystrokes. */
export const terminalControl = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input'), data: z.string() }),
  z.object({
    type: z.literal('resize'),
    cols: z.int().min(2).max(1000),
    rows: z.int().min(2).max(1000),
  }),
]);
export type TerminalControl = z.infer<typeof terminalControl>;
