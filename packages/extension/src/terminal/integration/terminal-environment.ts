import { bridgeVariablePrefixes } from '@fairlead/protocol';
import { sessionVariables } from '../session-variables.ts';
import { lineVariables } from './command-line.ts';

/** VS Code gives its terminals the user's environment: what is set here is added to it, and null takes away. */
export function terminalEnvironment(session: Record<string, string>): Record<string, string | null> {
  return { GIT_PAGER: 'cat', ...secrets, ...sessionVariables(session), ...lineVariables };
}

/** Of a sandbox, and of a program that VS Code was started from. */
const secrets = Object.fromEntries(
  [
    'SESSION_API_KEY',
    ...bridgeVariablePrefixes.flatMap((prefix) =>
      ['ADDR', 'TOKEN', 'SESSION'].map((part) => `${prefix}_${part}`),
    ),
  ].map((name) => [name, null]),
);
