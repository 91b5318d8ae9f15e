import type { SessionState } from '@fairlead/protocol';
import type { Output } from './output.ts';

const colours = {
  starting: 'cyan',
  running: 'green',
  paused: 'yellow',
  stopped: 'dim',
  failed: 'red',
} as const satisfies Record<SessionState, string>;

export function styledState(output: Output, state: SessionState): string {
  return output.style(colours[state], state);
}
