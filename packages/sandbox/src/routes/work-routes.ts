import type { RouteEntry } from '@fairlead/http';
import type { Context } from '../sandbox.ts';

/** The routes that an executor is enough for. */
export const workRoutes: readonly RouteEntry<Context>[] = [
  { kind: 'http', method: 'GET', path: '/alive', isPublic: true, load: () => import('./alive.ts') },
  {
    kind: 'http',
    method: 'GET',
    path: '/server_info',
    isPublic: true,
    load: () => import('./server-info.ts'),
  },
  { kind: 'http', method: 'POST', path: '/execute_action', load: () => import('./execute-action.ts') },
  { kind: 'http', method: 'POST', path: '/list_files', load: () => import('./list-files.ts') },
  { kind: 'http', method: 'POST', path: '/upload_file', load: () => import('./upload-file.ts') },
  { kind: 'http', method: 'GET', path: '/download_files', load: () => import('./download-files.ts') },
  { kind: 'http', method: 'POST', path: '/update_mcp_server', load: () => import('./update-mcp-server.ts') },
  { kind: 'http', method: 'GET', path: '/actions', load: () => import('./actions-list.ts') },
  {
    kind: 'http',
    method: 'POST',
    path: '/actions/{actionId}/cancel',
    load: () => import('./action-cancel.ts'),
  },
  { kind: 'http', method: 'GET', path: '/shells', load: () => import('./shells-list.ts') },
  { kind: 'http', method: 'DELETE', path: '/shells/{name}', load: () => import('./shell-end.ts') },
  { kind: 'http', method: 'GET', path: '/openapi.json', load: () => import('./openapi.ts') },
  { kind: 'socket', method: 'GET', path: '/events', load: () => import('./events.ts') },
  { kind: 'socket', method: 'GET', path: '/shells/{name}/terminal', load: () => import('./terminal.ts') },
];
