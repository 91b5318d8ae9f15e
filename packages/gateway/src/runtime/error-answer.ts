import { errorObservation, runObservation } from '@fairlead/protocol';

/** An `error` observation, as JSON text, that the client can decode whatever the action was. */
export function errorAnswer(event: Record<string, unknown>, text: string): string {
  const args = (event['args'] ?? {}) as Record<string, unknown>;
  // Stock clients can decode nothing but `run` for a hidden command.
  const isHiddenRun = event['action'] === 'run' && args['hidden'] === true;
  const observation = isHiddenRun
    ? runObservation(String(args['command']), text, {}, true)
    : errorObservation(text);
  return JSON.stringify(observation);
}
