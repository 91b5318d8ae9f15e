import { randomUUID } from 'node:crypto';
import { answerWithinMs, type EditorParams, questionKindOf } from '@fairlead/protocol';
import type { Caller } from '../caller.ts';
import type { Question } from './question.ts';

export function newQuestion(params: EditorParams<'vscode/ask'>, { scope, isScript }: Caller): Question {
  const askedAt = Date.now();
  const leftMs = params.timeout === undefined ? Infinity : answerWithinMs(params.timeout);
  // Of the caller's time the user's consent may have taken some.
  const callerLeftMs =
    scope.deadlineMs - performance.now() - questionMarginMs(isScript ? params.timeout : undefined);
  const expiresInMs = Math.min(leftMs, callerLeftMs);
  return {
    // An action that is taken up again after a reload of the window keeps its id, and so its question.
    questionId: params.questionId ?? (isScript ? randomUUID() : scope.actionId),
    askerId: scope.agent.sessionId,
    who: scope.agent.name,
    isScript,
    message: params.message,
    kind: questionKindOf(params),
    choices: params.choices.map((choice) =>
      typeof choice === 'string'
        ? { label: choice, description: '' }
        : { label: choice.label, description: choice.description ?? '' },
    ),
    placeholder: params.placeholder ?? '',
    isPassword: params.password,
    default: params.default ?? null,
    askedAt,
    expiresAt: Number.isFinite(expiresInMs) ? askedAt + Math.max(0, expiresInMs) : null,
    answer: null,
  };
}

/** The default answer leaves before the deadline of the whole action or request ends it with an error. */
export function questionMarginMs(timeoutMs = Infinity): number {
  return Math.min(250, timeoutMs / 20);
}
