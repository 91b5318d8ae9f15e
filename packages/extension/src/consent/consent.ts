import type * as vscode from 'vscode';
import type { ActionScope } from '../sessions/action-scope.ts';

/**
 * What the user has to say to an agent's action before it is done. An action never carries its own permission: the
 * answer comes from the user's settings, from what the user chose before, or from the user now.
 */
export interface Consent {
  run(
    scope: ActionScope,
    request: RunRequest,
  ): Promise<{ kind: 'allowed'; command: string; isChanged: boolean } | Refused>;
  edit(
    scope: ActionScope,
    request: { uri: vscode.Uri; before: string | undefined; after: string },
  ): Promise<{ kind: 'allowed'; text: string; isChanged: boolean } | Refused>;
  ask(scope: ActionScope, request: AskRequest): Promise<{ kind: 'allowed' } | Refused>;
}

export interface AskRequest {
  capability: Capability;
  title: string;
  detail?: string;
  /** Nothing is done when it is allowed: the action itself is asked for next. */
  isPreliminary?: boolean;
}

export interface RunRequest {
  command: string;
  shell: string;
  /** Typed into the command that runs there, in place of a command of its own. */
  isInput: boolean;
  /** Where it runs, when that is not the directory of the shell. */
  cwd: string | undefined;
}

export const capabilities = ['read', 'edit', 'run', 'interact', 'command', 'chat'] as const;
export type Capability = (typeof capabilities)[number];

/** `rejected` by the user now; `denied` by a setting or by a missing trust, so that asking again is of no use. */
export type Refused =
  | { kind: 'rejected'; reason: string }
  | { kind: 'denied'; why: string }
  | { kind: 'expired'; seconds: number }
  | { kind: 'cancelled' };

/** What the agent reads. */
export function refusalText(refused: Refused): string {
  switch (refused.kind) {
    case 'rejected':
      return refused.reason === ''
        ? 'The user rejected this action and gave no reason. Nothing was done. Do not repeat it unchanged.'
        : `The user rejected this action: ${refused.reason}\nNothing was done.`;
    case 'denied':
      return `${refused.why} Nothing was done, and asking again will not change that.`;
    case 'expired':
      return `The user did not answer within ${refused.seconds} s, so nothing was done. Ask again when the user is back.`;
    case 'cancelled':
      return 'The action was cancelled while it waited for the user. Nothing was done.';
  }
}
