import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SessionEvent } from '@fairlead/protocol';
import type { GatewayApi } from './gateway-api.ts';
import { linesFile, type SentAction } from './load-client.ts';

type ActionEntry = Extract<SessionEvent, { type: 'action' }>;
type ObservationEntry = Extract<SessionEvent, { type: 'observation' }>;
type Outcome = 'done' | 'unknown' | 'not-run' | 'other';

export interface RecordedAction {
  action: ActionEntry;
  observations: ObservationEntry[];
}

export interface SessionAftermath {
  sessionId: string;
  recorded: RecordedAction[];
  outcomes: Record<Outcome, number>;
  complaints: string[];
}

const probe = 'echo usable';
/** For the observations of actions that nobody waits for. */
const settleLimitMs = 15_000;

/** What a session, its journal and its files say about the actions that were sent to it. */
export async function examine(
  api: GatewayApi,
  stateDir: string,
  sessionId: string,
  sent: SentAction[],
): Promise<SessionAftermath> {
  const complaints = await usability(api, sessionId);
  if (complaints.length === 0) complaints.push(...(await replays(api, sent)));
  const { recorded, problems } = await settledJournal(api, sessionId);
  complaints.push(...problems);
  const lines = Map.groupBy(linesOf(stateDir, sessionId), (line) => line);
  const byCommand = Map.groupBy(recorded, ({ action }) => commandOf(action));
  const outcomes = { done: 0, unknown: 0, 'not-run': 0, other: 0 };
  for (const each of sent) {
    const [first, ...more] = byCommand.get(each.command) ?? [];
    if (more.length > 0) complaints.push(`${each.line} is in the journal as ${more.length + 1} actions`);
    const outcome = outcomeOf(first);
    outcomes[outcome] += 1;
    complaints.push(...answerProblems(each, first));
    complaints.push(...effectProblems(each.line, outcome, lines.get(each.line)?.length ?? 0));
    lines.delete(each.line);
    byCommand.delete(each.command);
  }
  complaints.push(...[...lines.keys()].map((line) => `nobody has sent "${line}"`));
  byCommand.delete(probe);
  complaints.push(
    ...[...byCommand.keys()].map((command) => `the journal has "${command}", which nobody sent`),
  );
  return { sessionId, recorded, outcomes, complaints: complaints.map((text) => `${sessionId}: ${text}`) };
}

/** A session works, or has ended with a reason and works again when it is resumed, or says why not. */
async function usability(api: GatewayApi, sessionId: string): Promise<string[]> {
  const { state, reason } = await api.session(sessionId);
  if (state !== 'running') {
    if (reason === null) return [`it is ${state} without a reason`];
    await api.ask('POST', `/api/sessions/${sessionId}/resume`);
    const resumed = await api.session(sessionId);
    if (resumed.state === 'failed' && resumed.reason !== null) return [];
  }
  const body = JSON.stringify({ action: { action: 'run', args: { command: probe }, timeout: 60 } });
  const { status, text } = await api
    .act(sessionId, body, {})
    .catch((error: Error) => ({ status: 'no answer', text: error.message }));
  return text.includes('"content":"usable') ? [] : [`it is not usable: ${status} ${text}`];
}

/** Whoever asks again is told the same, and nothing is run for it: the lines are counted behind this. */
async function replays(api: GatewayApi, sent: SentAction[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { sessionId, line, body, answer } of sent) {
    if (answer === undefined) continue;
    const again = await api.act(sessionId, body, { 'idempotency-key': line });
    if (!again.isReplay) problems.push(`${line}: its key was not known any more`);
    if (again.text !== answer.text || again.actionId !== answer.actionId)
      problems.push(`${line}: was answered with ${answer.text}, and later with ${again.text}`);
  }
  return problems;
}

/** Every action with exactly one observation, which comes behind it. */
async function settledJournal(
  api: GatewayApi,
  sessionId: string,
): Promise<{ recorded: RecordedAction[]; problems: string[] }> {
  const deadlineMs = performance.now() + settleLimitMs;
  for (;;) {
    const journal = await api.journal(sessionId);
    const actions = journal.filter((entry) => entry.type === 'action');
    const observations = journal.filter((entry) => entry.type === 'observation');
    const byAction = Map.groupBy(observations, ({ actionId }) => actionId);
    const recorded = actions.map((action) => {
      return { action, observations: byAction.get(action.actionId) ?? [] };
    });
    const isSettled = recorded.every(({ observations }) => observations.length > 0);
    if (!isSettled && performance.now() < deadlineMs) {
      await delay(50);
      continue;
    }
    const isNumbered = journal.every((entry, index) => 'seq' in entry && entry.seq === index + 1);
    const matched = recorded.reduce((sum, { observations }) => sum + observations.length, 0);
    return {
      recorded,
      problems: [
        ...recorded.flatMap(recordProblems),
        ...(isNumbered ? [] : ['the journal has a gap, or a number twice']),
        ...(matched === observations.length ? [] : ['the journal has observations without an action']),
      ],
    };
  }
}

function recordProblems({ action, observations }: RecordedAction): string[] {
  const [first, ...more] = observations;
  const name = `${action.actionId} (${commandOf(action)})`;
  if (first === undefined) return [`the action ${name} has no observation`];
  if (more.length > 0) return [`the action ${name} has ${more.length + 1} observations`];
  return first.seq > action.seq ? [] : [`the action ${name} was answered before it was asked for`];
}

function answerProblems(
  { line, answer, isForgotten }: SentAction,
  found: RecordedAction | undefined,
): string[] {
  if (answer === undefined) return isForgotten ? [] : [`${line} was never answered`];
  if (found?.action.actionId !== answer.actionId) return [`${line} was answered, and is not in the journal`];
  if (isDeepStrictEqual(found.observations[0]?.event, JSON.parse(answer.text))) return [];
  return [`${line} was answered with ${answer.text}, and the journal has another answer`];
}

function effectProblems(line: string, outcome: Outcome, count: number): string[] {
  if (count > 1) return [`${line} was run ${count} times`];
  switch (outcome) {
    case 'done':
      return count === 1 ? [] : [`${line} is told as done, and its effect is lost`];
    case 'not-run':
      return count === 0 ? [] : [`${line} was run, and is told as not run, or not at all`];
    case 'unknown':
      return [];
    case 'other':
      return [`${line} has an observation that nobody expects`];
  }
}

/** What is not in the journal must not have been run either. */
function outcomeOf(found: RecordedAction | undefined): Outcome {
  if (found === undefined) return 'not-run';
  const { content = '', extras } = (found.observations[0]?.event ?? {}) as {
    content?: string;
    extras?: { metadata?: { exit_code?: number } };
  };
  if (extras?.metadata?.exit_code === 0) return 'done';
  if (content.includes('The outcome of this action is unknown')) return 'unknown';
  if (content.includes('was not run and will not be run')) return 'not-run';
  return 'other';
}

function commandOf({ event }: ActionEntry): string {
  return (event['args'] as { command: string }).command;
}

function linesOf(stateDir: string, sessionId: string): string[] {
  const path = join(stateDir, 'sessions', sessionId, 'workspace', linesFile);
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    // Nothing was run.
    return [];
  }
}
