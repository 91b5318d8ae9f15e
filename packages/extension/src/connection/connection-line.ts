import type { ConnectionState } from './window-connection.ts';

/** The state of the connection, for the user. */
export function connectionLine(connection: ConnectionState): string {
  switch (connection.kind) {
    case 'off':
      return 'This window is not connected.';
    case 'connecting':
      return `Connecting to ${connection.url} …`;
    case 'connected':
      return `Connected to ${connection.url} as ${connection.owner}`;
    case 'lost':
      return `The connection to ${connection.url} is lost (${connection.reason}); it is being tried again.`;
  }
}
