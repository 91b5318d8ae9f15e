import { randomUUID } from 'node:crypto';
import type { Action, EditorRequest } from '@fairlead/protocol';
import type { ActionScope } from '../sessions/action-scope.ts';
import type { Agent } from '../sessions/agent.ts';
import type { Call } from './answer.ts';
import type { BridgeRun } from './runs.ts';

const prefix = 'run-';

/** A run in the place of an agent: consent, activity and questions know it by this. */
function scriptAgent({ id, name }: BridgeRun): Agent {
  return { sessionId: askerIdOf(id), name, owner: 'you' };
}

export function askerIdOf(runId: string): string {
  return prefix + runId;
}

/** No gateway knows of it. */
export function isScript({ sessionId }: Agent): boolean {
  return sessionId.startsWith(prefix);
}

export function scriptScope({ type, params }: EditorRequest, call: Call): ActionScope {
  const args = { type, params, thought: '', security_risk: -1 };
  const action: Action = { action: 'vscode', args, shell: 'main' };
  const { signal, deadlineMs, run } = call;
  return { agent: scriptAgent(run), actionId: randomUUID(), action, deadlineMs, signal };
}
