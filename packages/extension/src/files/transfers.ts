import { FileError } from '@fairlead/executor';
import { errorObservation, readObservation, writeObservation } from '@fairlead/protocol/answers';
import { randomUUID } from 'node:crypto';
import type { Activity } from '../activity/activity.ts';
import { type Consent, type Refused, refusalText } from '../consent/consent.ts';
import type { ActionScope } from '../sessions/action-scope.ts';
import type { Agent } from '../sessions/agent.ts';

export interface TransferParts {
  agent: Agent;
  consent: Consent;
  activity: Activity;
  /** Comes when the session closes. */
  closed: AbortSignal;
}

export interface Transfer {
  capability: 'read' | 'edit';
  path: string;
  /** What the agent wants to do. */
  title: string;
  detail?: string;
  /** Of text, what it changes: the user is shown a diff, and may change it. */
  edit?: Parameters<Consent['edit']>[1];
  /** Comes when whoever sends or gets it has gone. */
  gone: AbortSignal;
}

type Answer = { kind: 'allowed'; text?: string; isChanged?: boolean } | Refused;

/** How long the user has to agree. */
const answerTimeoutMs = 120_000;

/** What an agent lists, sends and gets is no action, but the user is asked, and sees it, as if it were one. */
export class Transfers {
  readonly #parts: TransferParts;

  constructor(parts: TransferParts) {
    this.#parts = parts;
  }

  /**
   * What is withdrawn while the user is asked is not done, whatever the user answers; the work hears of it later, and of the
   * text that the user put in the place of the agent's.
   */
  async make<Value>(
    { capability, path, gone, edit, ...request }: Transfer,
    work: (withdrawn: AbortSignal, changed?: string) => Promise<Value>,
  ): Promise<Value> {
    const { agent, consent, activity, closed } = this.#parts;
    const signal = AbortSignal.any([closed, gone]);
    const scope = { ...scopeOf(agent, capability, path), signal };
    const shown = activity.begin(scope);
    try {
      const asked: Promise<Answer> =
        edit === undefined ? consent.ask(scope, { capability, ...request }) : consent.edit(scope, edit);
      const answer = await asked;
      if (answer.kind !== 'allowed') throw new FileError('refused', path, refusalText(answer));
      if (signal.aborted) throw new FileError('refused', path, refusalText({ kind: 'cancelled' }));
      const value = await work(signal, answer.isChanged ? answer.text : undefined);
      const { title } = request;
      shown.end(capability === 'edit' ? writeObservation(path, title) : readObservation(path, title));
      return value;
    } catch (error) {
      shown.end(errorObservation((error as Error).message));
      throw error;
    }
  }
}

function scopeOf(
  agent: Agent,
  capability: Transfer['capability'],
  path: string,
): Omit<ActionScope, 'signal'> {
  const common = { thought: '', security_risk: -1, path, start: 0, end: -1 };
  return {
    agent,
    actionId: randomUUID(),
    action:
      capability === 'edit'
        ? { action: 'write', args: { ...common, content: '' }, shell: 'main' }
        : { action: 'read', args: { ...common, impl_source: 'default', view_range: null }, shell: 'main' },
    deadlineMs: performance.now() + answerTimeoutMs,
  };
}
