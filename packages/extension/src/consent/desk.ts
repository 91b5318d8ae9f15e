import { randomUUID } from 'node:crypto';
import type { Notice } from '../notices.ts';
import type { ActionScope } from '../sessions/action-scope.ts';
import type { Agent } from '../sessions/agent.ts';
import { capabilityOf, type Answer, type Approval, type ApprovalRequest, type Outcome } from './approval.ts';
import type { Capability, Refused } from './consent.ts';
import type { Grants } from './grants.ts';
import { judge, type ConsentSetting, type Verdict } from './policy.ts';

export interface DeskParts {
  settingOf(capability: Capability): ConsentSetting;
  isTrusted(): boolean;
  /** How long the user has at most. */
  timeoutSeconds(): number;
  grants: Grants;
  /** Shows it until disposed. */
  present(approval: Approval): { dispose(): void };
  /** As the user has changed it where it is shown; undefined when it is what the agent proposed. */
  changedText(approval: Approval): string | undefined;
  /** `changed`: the command that runs in the place of the agent's. */
  tell(agent: Agent, notice: Extract<Notice, { type: 'approval' }>, changed?: string): void;
  /** Something starts or stops to wait. */
  changed(): void;
  untrusted(agent: Agent): void;
}

interface Waiting {
  approval: Approval;
  /** False when it does not wait any more. */
  withdraw(): boolean;
  settle(outcome: Outcome): void;
}

/** The one place where an action passes or waits. Knows neither VS Code nor how an approval looks. */
export class ConsentDesk {
  readonly #parts: DeskParts;
  readonly #waiting = new Map<string, Waiting>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** What waits, oldest first. */
  list(): Approval[] {
    return [...this.#waiting.values()].map(({ approval }) => approval);
  }

  async pass(scope: ActionScope, request: ApprovalRequest): Promise<Outcome> {
    if (scope.signal.aborted) return { kind: 'cancelled' };
    const verdict = this.#judge(scope.agent, request);
    if (verdict.kind === 'allow') return { kind: 'allowed', changed: undefined };
    if (verdict.kind === 'ask') return this.#wait(scope, request);
    if (verdict.isTrustMissing) this.#parts.untrusted(scope.agent);
    return this.#refuse(scope, request, { kind: 'denied', why: verdict.why });
  }

  /** False when it does not wait any more. */
  answer(id: string, answer: Answer): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    if (answer.kind === 'reject') {
      waiting.settle({ kind: 'rejected', reason: answer.reason });
      return true;
    }
    const { agent, request } = waiting.approval;
    waiting.settle({ kind: 'allowed', changed: answer.changed });
    if (answer.remember !== undefined) {
      this.#parts.grants.add(capabilityOf(request), answer.remember, agent);
      this.reconsider();
    }
    return true;
  }

  /** After the user's settings, grants or trust have changed: what they decide now need not wait. */
  reconsider(): void {
    for (const { approval, settle } of this.#waiting.values()) {
      const verdict = this.#judge(approval.agent, approval.request);
      if (verdict.kind === 'allow') settle({ kind: 'allowed', changed: this.#parts.changedText(approval) });
      if (verdict.kind === 'deny') settle({ kind: 'denied', why: verdict.why });
    }
  }

  /** Takes what a session asks away without an answer, for good: the session goes on elsewhere, and asks there. */
  withdraw(sessionId: string): void {
    for (const { approval, withdraw } of this.#waiting.values()) {
      if (approval.agent.sessionId === sessionId && withdraw()) this.#parts.changed();
    }
  }

  #judge(agent: Agent, request: ApprovalRequest): Verdict {
    const capability = capabilityOf(request);
    return judge({
      capability,
      setting: this.#parts.settingOf(capability),
      isTrusted: this.#parts.isTrusted(),
      isGranted: this.#parts.grants.covers(capability, agent.sessionId),
    });
  }

  #wait(scope: ActionScope, request: ApprovalRequest): Promise<Outcome> {
    const { agent, actionId, signal } = scope;
    const waitMs = timeToWait(scope.deadlineMs, this.#parts.timeoutSeconds());
    const seconds = Math.ceil(waitMs / 1000);
    if (waitMs === 0) return Promise.resolve(this.#refuse(scope, request, { kind: 'expired', seconds }));
    const approval: Approval = { id: randomUUID(), agent, actionId, request, since: new Date(), seconds };
    return new Promise((resolve) => {
      const withdraw = () => {
        if (!this.#waiting.delete(approval.id)) return false;
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        presented.dispose();
        return true;
      };
      const settle = (outcome: Outcome) => {
        if (!withdraw()) return;
        this.#tell(scope, request, outcome);
        this.#parts.changed();
        resolve(outcome);
      };
      const cancel = () => settle({ kind: 'cancelled' });
      const timer = setTimeout(() => settle({ kind: 'expired', seconds }), waitMs);
      signal.addEventListener('abort', cancel);
      this.#waiting.set(approval.id, { approval, withdraw, settle });
      const presented = this.#parts.present(approval);
      this.#tell(scope, request, { kind: 'waiting' });
      this.#parts.changed();
    });
  }

  #refuse(scope: ActionScope, request: ApprovalRequest, refused: Refused): Refused {
    this.#tell(scope, request, refused);
    return refused;
  }

  #tell(scope: ActionScope, request: ApprovalRequest, outcome: Outcome | { kind: 'waiting' }): void {
    const notice = {
      type: 'approval',
      actionId: scope.actionId,
      capability: capabilityOf(request),
      ...noticeOf(outcome),
    } as const;
    const changed = outcome.kind === 'allowed' && request.kind === 'run' ? outcome.changed : undefined;
    this.#parts.tell(scope.agent, notice, changed);
  }
}

/** The agent hears of an expired approval before its own deadline has passed. */
const answerMarginMs = 1000;
const longestMs = 86_400_000;

function timeToWait(deadlineMs: number, timeoutSeconds: number): number {
  const untilDeadlineMs = deadlineMs - performance.now() - answerMarginMs;
  return Math.max(0, Math.min(untilDeadlineMs, timeoutSeconds * 1000, longestMs));
}

function noticeOf(
  outcome: Outcome | { kind: 'waiting' },
): Pick<Extract<Notice, { type: 'approval' }>, 'state' | 'reason'> {
  switch (outcome.kind) {
    case 'waiting':
    case 'expired':
    case 'cancelled':
      return { state: outcome.kind, reason: null };
    case 'allowed':
      return { state: outcome.changed === undefined ? 'approved' : 'changed', reason: null };
    case 'rejected':
      return { state: 'rejected', reason: outcome.reason === '' ? null : outcome.reason };
    case 'denied':
      return { state: 'rejected', reason: outcome.why };
  }
}
