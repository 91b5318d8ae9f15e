import {
  answerWithinMs,
  decodeEditorRequest,
  type EditorRequest,
  type ReplyFrame,
  type RequestFrame,
} from '@fairlead/protocol';
import { bounded } from '../requests/bounded.ts';
import { asRequestError, RequestError } from '../requests/request-error.ts';
import type { BridgeRun } from './runs.ts';

/** One request of a script that is being answered. */
export interface Call {
  run: BridgeRun;
  /** Names the connection, or the client that may come back, among all. */
  callerId: string;
  /** Aborted by cancel, deadline, and when the caller is gone. */
  signal: AbortSignal;
  deadlineMs: number;
  onPart(text: string): void;
}

export type Handle = (request: EditorRequest, call: Call) => Promise<Record<string, unknown>>;

/** What the existing client waits where it says nothing. */
const defaultTimeoutMs = 30_000;

/** The one reply to a request, within its time. */
export async function answer(
  handle: Handle,
  { id, type, params }: RequestFrame,
  call: Omit<Call, 'deadlineMs'>,
): Promise<ReplyFrame> {
  try {
    const decoded = decodeEditorRequest(type, params);
    if (!decoded.ok) throw new RequestError(decoded.code, decoded.message);
    const deadlineMs = performance.now() + limitMs(decoded.request);
    const result = await bounded({ deadlineMs, signal: call.signal }, (signal) =>
      handle(decoded.request, { ...call, deadlineMs, signal }),
    );
    return { id, success: true, result };
  } catch (error) {
    const { message, code } = asRequestError(error);
    return { id, success: false, error: message, code };
  }
}

/** A refusal as callers of the first version know it: a result that says it was blocked. */
export function olderForm(reply: ReplyFrame, params: Record<string, unknown>): ReplyFrame {
  if (reply.success || (reply.code !== 'refused' && reply.code !== 'off_topic')) return reply;
  const conversationId = params['conversationId'] ?? '';
  const blockedReason = reply.code === 'refused' ? 'refusal' : 'off_topic';
  const result = { response: '', conversationId, blocked: true, blockedReason, openedChat: false };
  return { id: reply.id, success: true, result };
}

/** A question keeps its own time, since it may have a default; what waits for a button waits as long as it takes. */
function limitMs({ type, params }: EditorRequest): number {
  if (type === 'vscode/ask') return Infinity;
  const waitsForUser = type === 'vscode/showMessage' && (params.buttons.length > 0 || params.modal);
  if (params.timeout === undefined && waitsForUser) return Infinity;
  return answerWithinMs(params.timeout ?? defaultTimeoutMs);
}
