import type { Agent } from '../sessions/agent.ts';
import type { Capability, Refused, RunRequest } from './consent.ts';
import type { Reach } from './grants.ts';

/** One question that waits for the user. */
export interface Approval {
  /** Random: nothing that an agent writes can name it. */
  readonly id: string;
  readonly agent: Agent;
  readonly actionId: string;
  readonly request: ApprovalRequest;
  readonly since: Date;
  /** When it expires, in seconds after `since`. */
  readonly seconds: number;
}

export type ApprovalRequest =
  | ({ kind: 'run' } & RunRequest)
  | { kind: 'edit'; uri: string; path: string; before: string | undefined; after: string }
  | { kind: 'ask'; capability: Capability; title: string; detail: string };

/** What the user says. */
export type Answer =
  { kind: 'accept'; changed?: string; remember?: Reach } | { kind: 'reject'; reason: string };

/** How it ended. */
export type Outcome = { kind: 'allowed'; changed: string | undefined } | Refused;

export function capabilityOf(request: ApprovalRequest): Capability {
  return request.kind === 'ask' ? request.capability : request.kind;
}

/** What the agent wants, to stand after its name. */
export function wish(request: ApprovalRequest): string {
  switch (request.kind) {
    case 'run':
      return runWish(request);
    case 'edit':
      return `${request.before === undefined ? 'create' : 'edit'} ${request.path}`;
    case 'ask':
      return request.title;
  }
}

function runWish({ command, isInput, cwd }: RunRequest): string {
  if (isInput) return `type into the running command: ${command}`;
  if (command.trim() === '') return 'open a shell';
  // Before the command, which could end in words that look like it.
  return cwd === undefined ? `run ${command}` : `run in ${cwd}: ${command}`;
}
