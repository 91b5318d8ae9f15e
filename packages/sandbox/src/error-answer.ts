import type { Observation } from '@fairlead/protocol';

/** An `error` observation that the client can decode whatever the action was. */
export async function errorAnswer(event: Record<string, unknown>, text: string): Promise<Observation> {
  const { errorObservation, runObservation } = await import('@fairlead/protocol/answers');
  const args = (event['args'] ?? {}) as Record<string, unknown>;
  // Stock clients can decode nothing but `run` for a hidden command.
  if (event['action'] === 'run' && args['hidden'] === true) {
    return runObservation(String(args['command']), text, {}, true);
  }
  return errorObservation(text);
}

export const unknownOutcome =
  'ERROR: The outcome of this action is unknown: the server ended while it ran. It was not run again; ' +
  'look at its effects before you repeat it.';

export const withdrawn =
  'ERROR: This action never reached the sandbox. It was not run and will not be run; send it as a new action if it is ' +
  'still wanted.';

export const unrecordedAnswer =
  'ERROR: The action ended, but its answer could not be recorded for a retry because the disk was full. ' +
  'It was not run again; look at its effects before you repeat it.';
