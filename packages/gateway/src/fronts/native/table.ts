import type { GatewayRoute } from '../route-entry.ts';

const sessions = '/api/sessions';
const session = `${sessions}/{session}`;

/** The gateway's own API. */
export const nativeTable: readonly GatewayRoute[] = [
  {
    kind: 'http',
    access: 'public',
    isPublic: true,
    method: 'GET',
    path: '/api/health',
    load: () => import('./health.ts'),
  },
  { kind: 'http', access: 'identified', method: 'GET', path: '/api/me', load: () => import('./me.ts') },
  {
    kind: 'http',
    access: 'owner',
    method: 'POST',
    path: sessions,
    load: () => import('./sessions-create.ts'),
  },
  { kind: 'http', access: 'owner', method: 'GET', path: sessions, load: () => import('./sessions-list.ts') },
  { kind: 'http', access: 'session', method: 'GET', path: session, load: () => import('./session-show.ts') },
  {
    kind: 'http',
    access: 'session-owner',
    method: 'DELETE',
    path: session,
    load: () => import('./session-remove.ts'),
  },
  {
    kind: 'http',
    access: 'session-owner',
    method: 'POST',
    path: `${session}/pause`,
    load: async () => ({ route: (await import('./session-change.ts')).pauseRoute }),
  },
  {
    kind: 'http',
    access: 'session-owner',
    method: 'POST',
    path: `${session}/resume`,
    load: async () => ({ route: (await import('./session-change.ts')).resumeRoute }),
  },
  {
    kind: 'http',
    access: 'session-owner',
    method: 'POST',
    path: `${session}/stop`,
    load: async () => ({ route: (await import('./session-change.ts')).stopRoute }),
  },
  {
    kind: 'http',
    access: 'session-owner',
    method: 'POST',
    path: `${session}/extend`,
    load: async () => ({ route: (await import('./session-change.ts')).extendRoute }),
  },
  {
    kind: 'http',
    access: 'session',
    method: 'POST',
    path: `${session}/actions`,
    load: () => import('./actions.ts'),
  },
  {
    kind: 'http',
    access: 'session',
    method: 'GET',
    path: `${session}/journal`,
    load: () => import('./journal.ts'),
  },
  {
    kind: 'socket',
    access: 'session',
    method: 'GET',
    path: `${session}/events`,
    load: async () => ({ route: (await import('./events.ts')).socketRoute }),
  },
  {
    kind: 'http',
    access: 'session',
    method: 'GET',
    path: `${session}/events`,
    load: async () => ({ route: (await import('./events.ts')).streamRoute }),
  },
  {
    kind: 'http',
    access: 'identified',
    method: 'POST',
    path: '/api/tickets',
    load: () => import('./tickets.ts'),
  },
  {
    kind: 'http',
    access: 'public',
    isPublic: true,
    method: 'GET',
    path: '/login',
    load: () => import('./login.ts'),
  },
  {
    kind: 'http',
    access: 'public',
    isPublic: true,
    method: 'POST',
    path: '/logout',
    load: () => import('./logout.ts'),
  },
  {
    kind: 'http',
    access: 'identified',
    method: 'GET',
    path: '/openapi.json',
    load: () => import('./openapi.ts'),
  },
];
