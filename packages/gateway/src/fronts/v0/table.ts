import type { HttpRoute } from '@fairlead/http';
import type { SessionContext } from '../context.ts';
import type { GatewayRoute } from '../route-entry.ts';
import { passedOn } from './pass-on.ts';

const base = '/runtimes/{session}';

/** Everything that a sandbox server offers, with the session's part of the gateway as its base address. */
export const v0Table: readonly GatewayRoute[] = [
  {
    kind: 'http',
    access: 'session',
    method: 'POST',
    path: `${base}/execute_action`,
    load: () => import('./execute-action.ts'),
  },
  fromSandbox('GET', '/alive', 'Is the sandbox ready', '`{"status": "ok"}`'),
  fromSandbox('GET', '/server_info', 'Uptime, idle time and what the sandbox uses', 'The figures'),
  fromSandbox('POST', '/list_files', 'Names in a directory', 'Directories with a trailing "/" first'),
  fromSandbox('POST', '/upload_file', 'Store a file; a .zip is unpacked', 'Stored'),
  fromSandbox('GET', '/download_files', 'A file or directory as a zip', 'The zip'),
  fromSandbox('POST', '/update_mcp_server', 'Tell the MCP servers of a client', 'Taken note of'),
  {
    kind: 'http',
    access: 'session',
    method: 'GET',
    path: `${base}/vscode/connection_token`,
    load: () => import('./editor-token.ts'),
  },
  fromSandbox('GET', '/actions', 'Actions that are running now', 'Oldest first'),
  fromSandbox('POST', '/actions/{actionId}/cancel', 'Cancel a running action', 'It is being interrupted'),
  fromSandbox('GET', '/shells', 'The open shells', 'By name'),
  fromSandbox('DELETE', '/shells/{name}', 'End a shell and all it started', 'Ended'),
  fromSandbox('GET', '/openapi.json', "The sandbox server's own description", 'OpenAPI 3.1'),
  {
    kind: 'socket',
    access: 'session',
    method: 'GET',
    path: `${base}/shells/{name}/terminal`,
    load: () => import('./terminal.ts'),
  },
  {
    kind: 'socket',
    access: 'session',
    method: 'GET',
    path: `${base}/events`,
    load: async () => ({ route: (await import('../native/events.ts')).socketRoute }),
  },
  {
    kind: 'http',
    access: 'session',
    method: 'GET',
    path: `${base}/events`,
    load: async () => ({ route: (await import('../native/events.ts')).streamRoute }),
  },
];

function fromSandbox(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  summary: string,
  description: string,
): GatewayRoute {
  const route: HttpRoute<SessionContext> = passedOn(summary, description);
  return { kind: 'http', access: 'session', method, path: `${base}${path}`, load: async () => ({ route }) };
}
