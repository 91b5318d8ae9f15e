import { runArgs } from '@fairlead/protocol';
import type { ActionScope } from '../../src/sessions/action-scope.ts';

/** Of an agent that runs a command. */
export function commandScope(command: string, changes: Partial<ActionScope> = {}): ActionScope {
  return {
    agent: { sessionId: 's1', name: 'codex', owner: 'ann' },
    actionId: 'a1',
    action: { action: 'run', args: runArgs.parse({ command }), shell: 'main' },
    deadlineMs: performance.now() + 60_000,
    signal: new AbortController().signal,
    ...changes,
  };
}
