import type { GatewayRoute } from '../route-entry.ts';

const base = '/api/vscode';
const instance = `${base}/instance/{instance}`;

/** VS Code windows of an owner; the names are those of the earlier OpenHands registry. */
export const windowsTable: readonly GatewayRoute[] = [
  ownersRoute('GET', `${base}/instances`, async () => (await import('./instances.ts')).listRoute),
  ownersRoute('GET', instance, async () => (await import('./instances.ts')).showRoute),
  ownersRoute('DELETE', instance, async () => (await import('./forget.ts')).route),
  ownersRoute('GET', `${base}/registry/stats`, async () => (await import('./instances.ts')).statsRoute),
  ownersRoute('POST', `${base}/pairings`, async () => (await import('./pairings.ts')).route),
  ownersRoute('POST', `${base}/register`, async () => (await import('./register.ts')).registerRoute),
  ownersRoute('POST', `${base}/heartbeat/{instance}`, async () => (await import('./register.ts')).beatRoute),
  ownersRoute(
    'DELETE',
    `${base}/unregister/{instance}`,
    async () => (await import('./register.ts')).unregisterRoute,
  ),
];

type OwnersRoute = Extract<GatewayRoute, { kind: 'http'; access: 'owner' }>;
type Handled = Awaited<ReturnType<OwnersRoute['load']>>['route'];

function ownersRoute(
  method: OwnersRoute['method'],
  path: string,
  load: () => Promise<Handled>,
): GatewayRoute {
  return { kind: 'http', access: 'owner', method, path, load: async () => ({ route: await load() }) };
}
