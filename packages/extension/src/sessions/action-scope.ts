import { AsyncLocalStorage } from 'node:async_hooks';
import type { Action } from '@fairlead/protocol';
import type { Agent } from './agent.ts';

/** The action on whose behalf code runs: for hosts deep below the executor that have to ask or to tell the user. */
export interface ActionScope {
  agent: Agent;
  actionId: string;
  action: Action;
  /** By the clock of `performance.now()`. */
  deadlineMs: number;
  signal: AbortSignal;
}

const scopes = new AsyncLocalStorage<ActionScope>();

export function currentAction(): ActionScope | undefined {
  return scopes.getStore();
}

export function inAction<R>(scope: ActionScope, work: () => Promise<R>): Promise<R> {
  return scopes.run(scope, work);
}
