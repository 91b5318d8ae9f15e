import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { inAction } from '../../src/sessions/action-scope.ts';
import { rememberingConsent } from '../../src/sessions/remembering-consent.ts';
import type { WaitingActions } from '../../src/sessions/waiting-actions.ts';
import { commandScope } from '../support/action-scope.ts';
import { StandInConsent } from '../support/stand-in-consent.ts';

const npmTest = { command: 'npm test', shell: 'main', isInput: false, cwd: undefined };

test('an action of an agent is written down while it waits', async () => {
  const { consent, user, waiting, waitingOf } = open();
  const scope = commandScope('npm test');
  const asked = inAction(scope, () => consent.run(scope, npmTest));
  await setImmediate();
  await setImmediate();
  expect(waitingOf).toHaveBeenCalledWith(scope.agent.sessionId);
  expect([...waiting]).toEqual([scope.actionId]);
  user.answer({ kind: 'rejected', reason: '' });
  await asked;
  expect([...waiting]).toEqual([]);
});

test('what is asked for beside actions is not: nobody would ever ask for it again', async () => {
  const { consent, user, waitingOf } = open();
  const scope = commandScope('npm test', { actionId: 'of a script' });
  const asked = consent.run(scope, npmTest);
  const other = commandScope('npm test', { actionId: 'of an agent' });
  const within = inAction(other, () => consent.run(scope, npmTest));
  await setImmediate();
  await setImmediate();
  expect(user.waiting).toHaveLength(2);
  expect(waitingOf).not.toHaveBeenCalled();
  void asked;
  user.answer({ kind: 'rejected', reason: '' });
  await within;
});

function open() {
  const user = Object.assign(new StandInConsent(), { isAsking: true });
  const waiting = new Set<string>();
  const kept = {
    add: (actionId: string) => void waiting.add(actionId),
    remove: (actionId: string) => void waiting.delete(actionId),
  } as unknown as WaitingActions;
  const waitingOf = vi.fn((_sessionId: string) => kept);
  return { consent: rememberingConsent(user, waitingOf), user, waiting, waitingOf };
}
