import type { ActionOf, EditorRequest, Observation } from '@fairlead/protocol';
import { answerWithinMs, decodeEditorRequest } from '@fairlead/protocol';
import { errorObservation, vscodeObservation } from '@fairlead/protocol/answers';
import type { ActionScope } from '../sessions/action-scope.ts';
import { bounded } from './bounded.ts';
import type { EditorRequests } from './editor-requests.ts';
import { asRequestError } from './request-error.ts';

/** The action `vscode` of an agent: the editor's answer as an observation, within the action's deadline. */
export async function editorAction(
  requests: EditorRequests,
  scope: ActionScope,
  { args }: ActionOf<'vscode'>,
): Promise<Observation> {
  const decoded = decodeEditorRequest(args.type, args.params);
  if (!decoded.ok) return errorObservation(`ERROR: ${decoded.message}`, decoded.code);
  const { request } = decoded;
  const deadlineMs = Math.min(scope.deadlineMs, ownDeadlineMs(request));
  try {
    const result = await bounded({ deadlineMs, signal: scope.signal }, (signal) =>
      requests.handle(request, {
        scope: { ...scope, deadlineMs, signal },
        isScript: false,
        callerId: scope.agent.sessionId,
      }),
    );
    return vscodeObservation(request.type, result);
  } catch (error) {
    const { code, message } = asRequestError(error);
    return errorObservation(`ERROR: ${message}`, code);
  }
}

/** A question keeps its own time, since it may have a default answer. */
function ownDeadlineMs({ type, params: { timeout } }: EditorRequest): number {
  if (type === 'vscode/ask' || timeout === undefined) return Infinity;
  return performance.now() + answerWithinMs(timeout);
}
