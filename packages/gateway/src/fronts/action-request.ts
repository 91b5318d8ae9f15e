import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, answerText, HttpError } from '@fairlead/http';
import { decodeAction, errorObservation } from '@fairlead/protocol';
import { z } from 'zod';
import type { SessionContext } from './context.ts';

/** As the sandbox takes it: a file to be written comes whole. */
export const actionLimitBytes = 64 * 1024 * 1024;

export const actionHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'use 1 to 200 visible ASCII characters')
    .optional(),
  'x-action-id': z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,128}$/, 'use 1 to 128 letters, digits, ".", "_" or "-"')
    .optional(),
});

interface ReceivedAction {
  request: IncomingMessage;
  response: ServerResponse;
  event: Record<string, unknown>;
  /** The body as it came, which tells a retry from another action. */
  text: string;
}

/** Hands an event to the session, and answers with its observation. What no runtime could do is not recorded. */
export async function answerAction(
  { gateway, session }: SessionContext,
  { request, response, event, text }: ReceivedAction,
): Promise<void> {
  const idempotencyKey = headerOf(request, 'idempotency-key');
  const actionId = headerOf(request, 'x-action-id');
  const decoded = decodeAction(event);
  if (!decoded.ok) {
    if (decoded.reason !== 'unknown-action') throw new HttpError(400, decoded.message);
    return answerJson(response, errorObservation(decoded.message));
  }
  const answer = await gateway.sessions.execute(session.id, {
    event,
    bodyHash: hash('sha256', text),
    actionId,
    idempotencyKey,
  });
  const headers: Record<string, string> = { 'x-action-id': answer.actionId };
  if (answer.isReplay) headers['idempotent-replayed'] = 'true';
  answerText(response, answer.observationJson, 200, headers);
}

function headerOf(request: IncomingMessage, name: 'idempotency-key' | 'x-action-id'): string | undefined {
  const value = request.headers[name];
  if (value === undefined) return undefined;
  const checked = actionHeaders.shape[name].safeParse(value);
  if (checked.success) return checked.data;
  throw new HttpError(400, `Header ${name}: ${checked.error.issues[0]?.message}`);
}
