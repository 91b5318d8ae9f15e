import type { Action, Observation } from '@fairlead/protocol';
import type { ActionScope } from '../sessions/action-scope.ts';
import type { Agent } from '../sessions/agent.ts';
import { actionLabel, actionSubject, hasFailed } from './describe-action.ts';

export type ActionState = 'running' | 'waiting' | 'done' | 'failed';

export interface ActivityEntry {
  readonly agent: Agent;
  readonly actionId: string;
  readonly name: Action['action'];
  readonly label: string;
  readonly subject: string;
  readonly startedAt: Date;
  state: ActionState;
  durationMs: number | undefined;
  content: string | undefined;
}

const mostEntries = 500;
const mostCharacters = 32_768;

/** The latest actions of every agent, as much as a view needs: the journal and the audit file keep the rest. */
export class ActivityLog {
  /** Oldest first. */
  #entries: ActivityEntry[] = [];
  readonly #shownPath: (path: string) => string;

  /** `shownPath`: how lists name a file. */
  constructor(shownPath = (path: string) => path) {
    this.#shownPath = shownPath;
  }

  begin({ agent, actionId, action }: ActionScope): ActivityEntry {
    const entry: ActivityEntry = {
      agent,
      actionId,
      name: action.action,
      label: actionLabel(action, this.#shownPath),
      subject: cut(actionSubject(action)),
      startedAt: new Date(),
      state: 'running',
      durationMs: undefined,
      content: undefined,
    };
    this.#entries.push(entry);
    if (this.#entries.length > mostEntries) this.#entries.shift();
    return entry;
  }

  end(entry: ActivityEntry, observation: Observation, durationMs: number): void {
    entry.state = hasFailed(observation) ? 'failed' : 'done';
    entry.durationMs = durationMs;
    entry.content = cut(observation.content);
  }

  /** Undefined when the action has ended or is forgotten. */
  setWaiting(actionId: string, isWaiting: boolean): ActivityEntry | undefined {
    const entry = this.find(actionId);
    if (entry === undefined || isOver(entry)) return undefined;
    entry.state = isWaiting ? 'waiting' : 'running';
    return entry;
  }

  find(actionId: string): ActivityEntry | undefined {
    return this.#entries.findLast((entry) => entry.actionId === actionId);
  }

  /** Who was active last comes first. */
  agents(): Agent[] {
    const bySession = new Map<string, Agent>();
    for (const { agent } of this.#entries.toReversed())
      if (!bySession.has(agent.sessionId)) bySession.set(agent.sessionId, agent);
    return [...bySession.values()];
  }

  /** Newest first. */
  actionsOf(sessionId: string): ActivityEntry[] {
    return this.#entries.filter(({ agent }) => agent.sessionId === sessionId).toReversed();
  }

  /** What still runs stays. */
  clear(): void {
    this.#entries = this.#entries.filter((entry) => !isOver(entry));
  }
}

export function isOver(entry: ActivityEntry): boolean {
  return entry.state === 'done' || entry.state === 'failed';
}

function cut(text: string): string {
  return text.length > mostCharacters
    ? `${text.slice(0, mostCharacters)}\n[${text.length - mostCharacters} more characters are not kept here]`
    : text;
}
