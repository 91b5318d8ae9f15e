import { z } from 'zod';

/**
 * The wire between a running script and the VS Code window it was started from: JSON texts on a WebSocket. Frames whose
 * type begins with `$/` are about the connection; every other frame of a client is a request to the editor.
 */
export const bridgeProtocolVersion = 1;

/** Unique among the requests of one client. */
export const requestId = z.union([z.string().min(1).max(200), z.number()], {
  error: 'expected a text of 1 to 200 characters, or a number',
});
export type RequestId = z.infer<typeof requestId>;

/** client → window, first: who it is. The token stands here or in the header `Authorization: Bearer`. */
export const helloFrame = z.object({
  type: z.literal('$/hello'),
  protocolVersion: z.int().min(1),
  token: z.string().max(1000).optional(),
  session: z.string().max(200).optional(),
  /** Random, made by the client. Who connects again under it gets the replies it has not acknowledged. */
  clientId: z
    .string()
    .regex(/^[\w-]{16,128}$/, 'use 16 to 128 letters, digits, "_" or "-"')
    .optional(),
});

/** window → client, the answer to `$/hello`. */
export const welcomeFrame = z.object({
  type: z.literal('$/welcome'),
  protocolVersion: z.int(),
  /** Another one than before: the window was reloaded, and requests that had no reply are forgotten. */
  serverId: z.string(),
  /** The window knows this client id and what it asked for. */
  isResumed: z.boolean(),
});

/** client → window: a request. */
export const requestFrame = z.object({
  id: requestId,
  type: z.string().min(1).max(200),
  params: z.record(z.string(), z.unknown()).default({}),
});
export type RequestFrame = z.infer<typeof requestFrame>;

/** client → window: nobody waits for this request any more; it is answered with the error `cancelled`. */
export const cancelFrame = z.object({ id: requestId, type: z.literal('$/cancel') });

/** client → window: this reply has arrived, and need not be kept. */
export const acknowledgeFrame = z.object({ id: requestId, type: z.literal('$/ack') });

/** window → client: a part of an answer that is still being made. Sent again after a reconnection, from `index` 0. */
export const partFrame = z.object({
  id: requestId,
  type: z.literal('$/part'),
  index: z.int().min(0),
  text: z.string(),
});

export const bridgeErrorCode = z.enum([
  /** Not JSON. */
  'invalid_json',
  /** JSON, but no frame: `id` or `type` is missing or wrong. */
  'invalid_frame',
  'unknown_type',
  /** The message names the field. */
  'invalid_params',
  /** This id was answered and acknowledged before. */
  'duplicate_id',
  'too_many_requests',
  /** The time the caller gave is over. */
  'timeout',
  /** By the caller, by its leaving, or by the user's cancel button. */
  'cancelled',
  /** The settings forbid it, or the workspace is not trusted. */
  'denied',
  /** The user said no. */
  'rejected',
  /** The file, or what was looked for, is not there. */
  'not_found',
  /** No language model is installed. */
  'no_model',
  /** The user has not allowed this extension to use the model. */
  'no_permission',
  /** The model, or its filter, would not answer. */
  'refused',
  'off_topic',
  /** What was asked for failed with an error of its own. */
  'failed',
]);
export type BridgeErrorCode = z.infer<typeof bridgeErrorCode>;

/** window → client: the one answer to a request. `id` is null where the request had none that could be read. */
export const replyFrame = z.discriminatedUnion('success', [
  z.object({ id: requestId.nullable(), success: z.literal(true), result: z.record(z.string(), z.unknown()) }),
  z.object({
    id: requestId.nullable(),
    success: z.literal(false),
    /** For a person. */
    error: z.string(),
    /** For a program. */
    code: bridgeErrorCode,
  }),
]);
export type ReplyFrame = z.infer<typeof replyFrame>;

/** A program that is run with the bridge finds it by these prefixes and `_ADDR`, `_TOKEN`, `_SESSION`. */
export const bridgeVariablePrefixes = ['FAIRLEAD_RUN_BRIDGE', 'EVOLVE_RUN_BRIDGE'] as const;

/** In a debug session: the event by which an adapter asks, and the request by which it is answered. */
export const debugBridge = {
  event: 'customRequest',
  answer: 'customRequestResponse',
  part: 'customRequestPart',
} as const;

/** The body of the adapter's event. An adapter that gives no `protocolVersion` is answered as the first version of this contract was. */
export const debugRequest = z.object({
  requestId,
  type: z.string().min(1).max(200),
  params: z.record(z.string(), z.unknown()).default({}),
  protocolVersion: z.int().min(1).optional(),
});
export type DebugRequest = z.infer<typeof debugRequest>;

/**
 * How long the window works on a request of which the caller says that it waits `timeoutMs`: a tenth less, at most half
 * a second, so that the caller hears the error and not the silence.
 */
export function answerWithinMs(timeoutMs: number): number {
  return timeoutMs - Math.min(500, timeoutMs / 10);
}
