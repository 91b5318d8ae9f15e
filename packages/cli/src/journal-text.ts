import type { SessionEvent } from '@fairlead/protocol';
import { harmless } from './harmless.ts';
import type { Output } from './output.ts';

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

export type JournalEvent = Extract<SessionEvent, { time: string; seq: number }>;

export function isJournalEvent(event: SessionEvent): event is JournalEvent {
  return 'seq' in event && 'time' in event;
}

/** Records of a journal as a person reads them. */
export class JournalText {
  readonly #output: Output;
  readonly #startedAtMs = new Map<string, number>();

  constructor(output: Output) {
    this.#output = output;
  }

  format(event: JournalEvent): string {
    const timeMs = Date.parse(event.time);
    const head = this.#output.style('dim', `${String(event.seq).padStart(5)}  ${clock(timeMs)}`);
    switch (event.type) {
      case 'state':
        return `${head}  ${this.#output.style('cyan', `session ${event.state}`)}${event.reason === null ? '' : `: ${event.reason}`}`;
      case 'action':
        this.#startedAtMs.set(event.actionId, timeMs);
        return `${head}  ${event.shell === 'main' ? '' : `[${event.shell}] `}${this.#output.style('bold', describe(event.event))}`;
      case 'observation':
        return `${head}  ${this.#describeEnd(event, timeMs)}`;
      case 'approval':
        return `${head}  ${this.#output.style('cyan', `the user: ${approvalText(event)}`)}`;
      case 'change':
        return `${head}  ${this.#output.style('cyan', `the user ${changeText(event)}`)}`;
    }
  }

  #describeEnd({ actionId, event }: Extract<JournalEvent, { type: 'observation' }>, timeMs: number): string {
    const startedAtMs = this.#startedAtMs.get(actionId);
    this.#startedAtMs.delete(actionId);
    const took = startedAtMs === undefined ? '' : `, ${((timeMs - startedAtMs) / 1000).toFixed(2)} s`;
    const [end, isGood] = endOf(event);
    const content = text(event['content']).replace(/\n$/, '');
    const body = content === '' ? '' : `\n${content.replaceAll(/^/gm, '       ')}`;
    return this.#output.style(isGood ? 'green' : 'red', end) + this.#output.style('dim', took) + body;
  }
}

const approvalStates: Record<EventOf<'approval'>['state'], string> = {
  waiting: 'is asked',
  approved: 'approved',
  changed: 'changed it and approved',
  rejected: 'rejected',
  expired: 'did not answer in time',
  cancelled: 'is not asked any more',
};

function approvalText({ state, capability, reason }: EventOf<'approval'>): string {
  const words = reason === null ? '' : `: ${text(reason)}`;
  return `${approvalStates[state]} (${text(capability)})${words}`;
}

function changeText({ change, path, newPath }: EventOf<'change'>): string {
  return `${change} ${text(path)}${newPath === null ? '' : ` to ${text(newPath)}`}`;
}

function describe(event: Record<string, unknown>): string {
  const args = (event['args'] ?? {}) as Record<string, unknown>;
  const name = text(event['action']);
  if (name === 'run') return `${args['is_input'] === true ? '<' : '$'} ${text(args['command'])}`;
  const command = text(args['command']);
  return [name, command, text(args['path'] ?? args['url'] ?? '')].filter(Boolean).join(' ');
}

/** How it ended, and whether that is good. */
function endOf(event: Record<string, unknown>): [string, boolean] {
  if (event['observation'] === 'error') return ['error', false];
  const extras = (event['extras'] ?? {}) as { metadata?: { exit_code?: number; suffix?: string } };
  const code = extras.metadata?.exit_code;
  if (code === undefined) return ['done', true];
  if (code >= 0) return [`exit ${code}`, code === 0];
  const remark = extras.metadata?.suffix?.trim().replaceAll(/^\[|\]$/g, '') ?? '';
  return [remark.split('. ')[0] || 'end unknown', false];
}

function clock(timeMs: number): string {
  const time = new Date(timeMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

function text(value: unknown): string {
  return typeof value === 'string' ? harmless(value) : '';
}
