import type { Observation } from '@fairlead/protocol';
import type { ActionScope } from '../sessions/action-scope.ts';

/** Every action and its observation: feeds the activity view, the output channel and the audit file. */
export interface Activity {
  begin(scope: ActionScope): { end(observation: Observation): void };
}
