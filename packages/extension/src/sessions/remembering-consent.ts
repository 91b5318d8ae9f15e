import type { Consent } from '../consent/consent.ts';
import { type ActionScope, currentAction } from './action-scope.ts';
import type { WaitingActions } from './waiting-actions.ts';

/**
 * Consent that writes down which actions wait for it, as long as nothing of them is done. Only agents' actions are ever
 * asked for again: not what the user's programs want, nor what is listed, sent or fetched beside actions.
 */
export function rememberingConsent(
  consent: Consent,
  waitingOf: (sessionId: string) => WaitingActions | undefined,
): Consent {
  /** What was allowed once may have begun; a second question of the same action cannot be asked anew. */
  const begun = new WeakSet<ActionScope>();
  return {
    run: (scope, request) => remembered(scope, consent.run(scope, request)),
    edit: (scope, request) => remembered(scope, consent.edit(scope, request)),
    ask: (scope, request) =>
      remembered(scope, consent.ask(scope, request), {
        doesNothing: request.capability === 'read' || request.isPreliminary,
      }),
  };

  async function remembered<Answer extends { kind: string }>(
    scope: ActionScope,
    asking: Promise<Answer>,
    { doesNothing = false } = {},
  ): Promise<Answer> {
    const isKept = currentAction()?.actionId === scope.actionId && !begun.has(scope);
    const waiting = isKept ? waitingOf(scope.agent.sessionId) : undefined;
    // Most answers come from a setting, at once.
    const unlessAtOnce = setImmediate(() => waiting?.add(scope.actionId, scope.action));
    try {
      return await asking;
    } finally {
      clearImmediate(unlessAtOnce);
      // To read once more changes nothing.
      if (!doesNothing) begun.add(scope);
      waiting?.remove(scope.actionId);
    }
  }
}
