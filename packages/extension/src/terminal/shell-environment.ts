import { bridgeVariablePrefixes } from '@fairlead/protocol';
import { sessionVariables } from './session-variables.ts';

/**
 * What an agent's shells inherit from the extension host: what the user's own terminals have, and nothing of VS Code
 * or of ours. Of the session's own values, those that it may set win.
 */
export function shellEnvironment(
  host: Record<string, string | undefined>,
  session: Record<string, string>,
): Record<string, string> {
  const kept = Object.entries(host).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isOfHost(entry[0]),
  );
  return { ...Object.fromEntries(kept), ...sessionVariables(session) };
}

function isOfHost(name: string): boolean {
  return hostPrefixes.some((prefix) => name.toUpperCase().startsWith(prefix)) || hostNames.has(name);
}

const hostPrefixes = ['VSCODE_', 'ELECTRON_', 'FAIRLEAD_', 'CODE_SERVER_', ...bridgeVariablePrefixes];

/** Set for the program that runs extensions, or by the shell that this was started from. */
const hostNames = new Set([
  'APPLICATIONINSIGHTS_CONFIGURATION_CONTENT',
  'APPLICATION_INSIGHTS_NO_DIAGNOSTIC_CHANNEL',
  // Opens links in VS Code, by variables that are not here any more.
  'BROWSER',
  'CHROME_DESKTOP',
  'NODE_OPTIONS',
  // Of a web VS Code, and of a sandbox's server.
  'HASHED_PASSWORD',
  'PASSWORD',
  'SESSION_API_KEY',
  'COLUMNS',
  'LINES',
  'OLDPWD',
  'PWD',
  'SHLVL',
  '_',
]);
