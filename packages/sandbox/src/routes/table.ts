import type { RouteEntry } from '@fairlead/http';
import type { MachineContext } from '../sandbox.ts';
import { workRoutes } from './work-routes.ts';

/** Every route of the server of a sandbox. */
export const routeTable: readonly RouteEntry<MachineContext>[] = [
  ...workRoutes,
  { kind: 'http', method: 'GET', path: '/vscode/connection_token', load: () => import('./vscode-token.ts') },
  { kind: 'http', method: 'GET', path: '/editor', load: () => import('./editor-show.ts') },
  { kind: 'http', method: 'POST', path: '/editor', load: () => import('./editor-start.ts') },
  { kind: 'http', method: 'DELETE', path: '/editor', load: () => import('./editor-stop.ts') },
  { kind: 'http', method: 'GET', path: '/ports', load: () => import('./ports-list.ts') },
  { kind: 'http', method: 'GET', path: '/ports/{port}/tunnel', load: () => import('./port-tunnel.ts') },
  { kind: 'http', method: 'POST', path: '/tickets', load: () => import('./tickets.ts') },
];
