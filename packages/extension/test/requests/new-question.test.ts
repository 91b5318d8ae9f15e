import { expect, test } from 'vitest';
import { decodeEditorRequest, type EditorParams } from '@fairlead/protocol';
import type { Caller } from '../../src/requests/caller.ts';
import { newQuestion } from '../../src/requests/questions/new-question.ts';

function expiresInMs(timeoutMs: number | undefined, leftMs: number, isScript = true): number {
  const decoded = decodeEditorRequest('vscode/ask', { message: 'Where?', timeout: timeoutMs });
  if (!decoded.ok) throw new Error(decoded.message);
  const agent = { sessionId: 'run-1', name: 'a.py', owner: 'you' };
  const scope = { agent, actionId: 'a', deadlineMs: performance.now() + leftMs } as Caller['scope'];
  const question = newQuestion(decoded.request.params as EditorParams<'vscode/ask'>, {
    scope,
    isScript,
    callerId: 'c',
  });
  return question.expiresAt === null ? Infinity : question.expiresAt - question.askedAt;
}

test('a question’s time goes on while the user thinks about whether it may be asked', () => {
  expect(expiresInMs(10_000, 9_750)).toBeCloseTo(9_500, -2);
  expect(expiresInMs(10_000, 4_000)).toBeCloseTo(3_750, -2);
  expect(expiresInMs(1_000, 950)).toBeCloseTo(900, -2);
  expect(expiresInMs(undefined, Infinity)).toBe(Infinity);
});

test('an agent’s question ends before its action does', () => {
  expect(expiresInMs(undefined, 60_000, false)).toBeCloseTo(59_750, -2);
});
