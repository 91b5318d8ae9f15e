import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, answerText, checkHeader, HttpError } from '@fairlead/http';
import { actionHeaders, decodeAction, errorObservation } from '@fairlead/protocol';
import type { SessionContext } from './context.ts';

/** As the sandbox takes it: a file to be written comes whole. */
export const actionLimitBytes = 64 * 1024 * 1024;

interface ReceivedAction {
  request: IncomingMessage;
  response: ServerResponse;
  event: Record<string, unknown>;
  /** The body as it came, which tells a retry from another action. */
  text: string;
  isToWake?: boolean;
}

/** Hands an event to the session, and answers with its observation. What no runtime could do is not recorded. */
export async function answerAction(
  { gateway, session }: SessionContext,
  { request, response, event, text, isToWake = false }: ReceivedAction,
): Promise<void> {
  const idempotencyKey = checkHeader(actionHeaders, request.headers, 'idempotency-key');
  const actionId = checkHeader(actionHeaders, request.headers, 'x-action-id');
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
    isToWake,
  });
  const headers: Record<string, string> = { 'x-action-id': answer.actionId };
  if (answer.isReplay) headers['idempotent-replayed'] = 'true';
  answerText(response, answer.observationJson, 200, headers);
}
