import type { GatewayRoute } from '../route-entry.ts';

/** The API behind OpenHands' `RUNTIME=remote`. */
export const remoteRuntimeTable: readonly GatewayRoute[] = [
  {
    kind: 'http',
    access: 'named-session',
    method: 'GET',
    path: '/sessions/{name}',
    load: () => import('./find.ts'),
  },
  { kind: 'http', access: 'owner', method: 'POST', path: '/start', load: () => import('./start.ts') },
  {
    kind: 'http',
    access: 'session',
    method: 'GET',
    path: '/runtime/{session}',
    load: () => import('./show.ts'),
  },
  {
    kind: 'http',
    access: 'named-session',
    method: 'POST',
    path: '/stop',
    load: async () => ({ route: (await import('./change.ts')).stopRoute }),
  },
  {
    kind: 'http',
    access: 'named-session',
    method: 'POST',
    path: '/pause',
    load: async () => ({ route: (await import('./change.ts')).pauseRoute }),
  },
  {
    kind: 'http',
    access: 'named-session',
    method: 'POST',
    path: '/resume',
    load: async () => ({ route: (await import('./change.ts')).resumeRoute }),
  },
  { kind: 'http', access: 'owner', method: 'GET', path: '/list', load: () => import('./list.ts') },
  {
    kind: 'http',
    access: 'owner',
    method: 'GET',
    path: '/registry_prefix',
    load: async () => ({ route: (await import('./images.ts')).prefixRoute }),
  },
  {
    kind: 'http',
    access: 'owner',
    method: 'GET',
    path: '/image_exists',
    load: async () => ({ route: (await import('./images.ts')).existsRoute }),
  },
  {
    kind: 'http',
    access: 'owner',
    method: 'POST',
    path: '/build',
    load: async () => ({ route: (await import('./images.ts')).buildRoute }),
  },
];
