import { bridgeVariablePrefixes } from '@fairlead/protocol';
import { BridgeError } from './bridge-error.ts';

/** Where the window of a run is. */
export interface BridgeEndpoint {
  address: string;
  token: string;
  session: string;
}

const parts = ['ADDR', 'TOKEN', 'SESSION'] as const;

/** What "Fairlead: Run File" has put into the environment of this program. */
export function findEndpoint(environment: NodeJS.ProcessEnv = process.env): BridgeEndpoint {
  for (const prefix of bridgeVariablePrefixes) {
    const [address, token, session] = parts.map((part) => environment[`${prefix}_${part}`]);
    if (address && token && session) return { address, token, session };
  }
  const names = parts.map((part) => `${bridgeVariablePrefixes[0]}_${part}`);
  const missing = names.filter((name) => !environment[name]);
  throw new BridgeError(
    'not_available',
    `The VS Code bridge is not available: this program was not started from VS Code (${missing.join(', ')} ` +
      `${missing.length === 1 ? 'is' : 'are'} not set). Open it in a window that has the Fairlead extension and start ` +
      'it with "Fairlead: Run File" (the setting fairlead.runBridge.enabled must be on).',
  );
}
