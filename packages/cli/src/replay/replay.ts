import type { ActionEvent, SessionHandle } from '@fairlead/client';
import type { Observation } from '@fairlead/protocol';
import type { Step } from './read-export.ts';

export interface Replayed {
  seq: number;
  what: string;
  recorded: string;
  now: string;
  isSame: boolean;
}

/**
 * Sends the actions as they were sent: one that began while another was running begins so again, so that input finds
 * the command that it was for.
 */
export async function* replay(session: SessionHandle, steps: Step[]): AsyncGenerator<Replayed> {
  const running = new Map<string, { step: Step; answer: Promise<Observation> }>();
  for (const step of steps) {
    if (step.type === 'action') {
      const answer = session.act(step.event as unknown as ActionEvent);
      answer.catch(() => undefined);
      running.set(step.actionId, { step, answer });
      continue;
    }
    const begun = running.get(step.actionId);
    running.delete(step.actionId);
    if (begun !== undefined) yield compared(begun.step, endOf(step.event), endOf(await begun.answer));
  }
  // What had not ended when the journal was written.
  for (const { step, answer } of running.values()) yield compared(step, 'not recorded', endOf(await answer));
}

function compared({ seq, event }: Step, recorded: string, now: string): Replayed {
  const args = (event['args'] ?? {}) as Record<string, unknown>;
  const what = [event['action'], args['command'], args['path']]
    .filter((part) => typeof part === 'string')
    .join(' ');
  return { seq, what, recorded, now, isSame: recorded === now || recorded === 'not recorded' };
}

/** The exit code of a command; of other actions whether they were done. */
function endOf(observation: Record<string, unknown>): string {
  const { observation: name, extras } = observation as {
    observation?: string;
    extras?: { metadata?: { exit_code?: number } };
  };
  const code = extras?.metadata?.exit_code;
  if (code === undefined) return String(name);
  return code < 0 ? 'exit unknown' : `exit ${code}`;
}
