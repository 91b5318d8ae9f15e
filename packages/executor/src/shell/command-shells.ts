import type { Action, Observation } from '@fairlead/protocol';
import type { ActionContext } from '../executor.ts';
import type { SessionShells } from './session-shells.ts';

export type RunAction = Extract<Action, { action: 'run' }>;

/** Shells that commands can be run in: bash on a terminal of our own, or what a window has instead. */
export interface CommandShells extends SessionShells {
  /** Answers by the action's deadline, always; rejects only where no shell could be started. */
  run(action: RunAction, context: ActionContext): Promise<Observation>;
  /** The answer of a command that one of the shells started under this id; undefined where none knows it. */
  outcomeOf(
    actionId: string,
    context: ActionContext,
    timeoutSeconds?: number,
  ): Promise<Observation> | undefined;
  /** Where relative paths start: the directory of the shell of that name, or where it would start. */
  directoryOf(name: string): string;
  close(): Promise<void>;
}
