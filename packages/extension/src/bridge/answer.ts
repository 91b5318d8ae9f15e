import { randomUUID } from 'node:crypto';
import {
  answerWithinMs,
  decodeEditorRequest,
  type EditorRequest,
  type EditorResult,
  type ReplyFrame,
  type RequestFrame,
} from '@fairlead/protocol';
import { bounded } from '../requests/bounded.ts';
import { questionMarginMs } from '../requests/questions/new-question.ts';
import { asRequestError } from '../requests/request-error.ts';
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
  const decoded = decodeEditorRequest(type, params);
  if (!decoded.ok) return { id, success: false, error: decoded.message, code: decoded.code };
  const { request } = decoded;
  try {
    const deadlineMs = performance.now() + limitMs(request);
    const result = await bounded({ deadlineMs, signal: call.signal }, (signal) =>
      handle(request, { ...call, deadlineMs, signal }),
    );
    return { id, success: true, result };
  } catch (error) {
    const { message, code } = asRequestError(error);
    const result = code === 'timeout' ? defaultAnswer(request) : undefined;
    return result ? { id, success: true, result } : { id, success: false, error: message, code };
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

/** What a question is answered with when its time is over before the user has even let it be asked. */
function defaultAnswer({ type, params }: EditorRequest): EditorResult<'vscode/ask'> | undefined {
  if (type !== 'vscode/ask' || params.default === undefined || params.timeout === undefined) return undefined;
  const { questionId = randomUUID(), default: answer } = params;
  return { questionId, answer, outcome: 'default' };
}

/** A question ends a little earlier by itself; what waits for the user waits as long as it takes. */
function limitMs({ type, params }: EditorRequest): number {
  const { timeout } = params;
  if (type === 'vscode/ask') return timeout === undefined ? Infinity : timeout - questionMarginMs(timeout);
  const waitsForUser = type === 'vscode/showMessage' && (params.buttons.length > 0 || params.modal);
  if (timeout === undefined && waitsForUser) return Infinity;
  return answerWithinMs(timeout ?? defaultTimeoutMs);
}
