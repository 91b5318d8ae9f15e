import { beforeEach, describe, expect, test } from 'vitest';
import { servedRoutes, type ServedRoute } from '../../src/fronts/table.ts';
import { startFakeSandbox } from './support/fake-sandbox.ts';
import { connected, startTestGateway, type Tenant, type TestGateway } from './support/test-gateway.ts';
import { expectedRefusal, ticketVisitors, visitors } from './support/visitors.ts';

interface Example {
  /** What the route answers to those who may come. */
  status: number;
  body?: unknown;
  query?: string;
  /** In place of `{name}` in the path. */
  name?: string;
}

const action = { action: 'run', args: { command: 'true' } };
const runtime = ({ session }: Tenant) => ({ runtime_id: session.id });

/** One good request for each route. */
const examples: Record<string, Example | ((mine: Tenant) => Example)> = {
  'GET /api/health': { status: 200 },
  'GET /api/me': { status: 200 },
  'POST /api/sessions': { status: 201, body: {} },
  'GET /api/sessions': { status: 200 },
  'GET /api/sessions/{session}': { status: 200 },
  'DELETE /api/sessions/{session}': { status: 204 },
  'POST /api/sessions/{session}/pause': { status: 200 },
  'POST /api/sessions/{session}/resume': { status: 200 },
  'POST /api/sessions/{session}/stop': { status: 200 },
  'POST /api/sessions/{session}/extend': { status: 200 },
  'POST /api/sessions/{session}/actions': { status: 200, body: action },
  'GET /api/sessions/{session}/journal': { status: 200 },
  'GET /api/sessions/{session}/events': { status: 426 },
  'GET /api/sessions/{session}/ports': { status: 200 },
  'POST /api/sessions/{session}/links': { status: 201, body: { place: 'editor' } },
  'GET /api/vscode/instances': { status: 200 },
  'GET /api/vscode/instance/{instance}': { status: 404 },
  'DELETE /api/vscode/instance/{instance}': { status: 404 },
  'GET /api/vscode/registry/stats': { status: 200 },
  'POST /api/vscode/pairings': { status: 201 },
  'POST /api/vscode/register': {
    status: 200,
    body: { workspace_path: '/w', workspace_name: 'w', vscode_version: '1', extension_version: '1' },
  },
  'POST /api/vscode/heartbeat/{instance}': { status: 404 },
  'DELETE /api/vscode/unregister/{instance}': { status: 404 },
  'POST /api/tickets': { status: 201 },
  'GET /login': { status: 401, query: 'ticket=made-up' },
  'POST /logout': { status: 204 },
  'GET /openapi.json': { status: 200 },
  'GET /sessions/{name}': ({ session }) => ({ status: 200, name: session.externalId! }),
  'POST /start': { status: 201, body: { session_id: 'a-new-one' } },
  'GET /runtime/{session}': { status: 200 },
  'POST /stop': (mine) => ({ status: 200, body: runtime(mine) }),
  'POST /pause': (mine) => ({ status: 200, body: runtime(mine) }),
  'POST /resume': (mine) => ({ status: 200, body: runtime(mine) }),
  'GET /list': { status: 200 },
  'GET /registry_prefix': { status: 200 },
  'GET /image_exists': { status: 200, query: 'image=debian' },
  'POST /build': { status: 501 },
  'POST /runtimes/{session}/execute_action': { status: 200, body: { action } },
  'GET /runtimes/{session}/alive': { status: 200 },
  'GET /runtimes/{session}/server_info': { status: 200 },
  'POST /runtimes/{session}/list_files': { status: 200, body: {} },
  'POST /runtimes/{session}/upload_file': { status: 200, body: 'data' },
  'GET /runtimes/{session}/download_files': { status: 200 },
  'POST /runtimes/{session}/update_mcp_server': { status: 200, body: [] },
  'GET /runtimes/{session}/vscode/connection_token': { status: 200 },
  'GET /runtimes/{session}/actions': { status: 200 },
  'POST /runtimes/{session}/actions/{actionId}/cancel': { status: 200, name: 'an-action' },
  'GET /runtimes/{session}/shells': { status: 200 },
  'DELETE /runtimes/{session}/shells/{name}': { status: 200, name: 'main' },
  'GET /runtimes/{session}/openapi.json': { status: 200 },
  'GET /runtimes/{session}/events': { status: 426 },
};

/** What the gateway itself reads of a sandbox's answers. */
const answers: Record<string, string> = {
  '/ports': '{"ports": []}',
  '/editor': JSON.stringify({
    state: 'missing',
    product: null,
    version: null,
    detail: '',
    folder: '/workspace',
    token: null,
  }),
};

const requests = servedRoutes.filter(({ kind }) => kind === 'http');
const sockets = servedRoutes.filter(({ kind }) => kind === 'socket');
const notFound = '{"detail":"Session not found"}';

let gateway: TestGateway;
let mine: Tenant;
let other: Tenant;

beforeEach(async () => {
  gateway = await startTestGateway();
  const sandbox = await startFakeSandbox(({ url }, response) => response.end(answers[url!] ?? '{}'));
  gateway.sessions.socketPath = sandbox.socketPath;
  mine = await gateway.addTenant('mine');
  other = await gateway.addTenant('other');
});

test('the matrix has an example of each route', () => {
  expect(Object.keys(examples).sort()).toEqual(requests.map(nameOf).sort());
});

describe.each(requests.map((route) => [nameOf(route), route] as const))(
  '%s',
  (name, { method, path, access }) => {
    test.each(Object.keys(visitors))('with %s', async (who) => {
      const { standing, headers } = await visitors[who]!({ gateway, mine, other });
      const example = exampleOf(name);
      const target = addressOf(path, example.name) + (example.query === undefined ? '' : `?${example.query}`);
      const before = JSON.stringify([...gateway.sessions.records]);
      const answer = await gateway.call(method, target, { headers, body: example.body });
      const refusal = expectedRefusal(access, standing, path);
      expect(answer.status).toBe(refusal ?? example.status);
      if (refusal === 404) expect(answer.text).toBe(notFound);
      if (refusal === undefined) return;
      expect(gateway.sessions.executed).toEqual([]);
      expect(gateway.sessions.touched).toEqual([]);
      expect(JSON.stringify([...gateway.sessions.records])).toBe(before);
      expect(answer.text).not.toContain(mine.session.id);
    });
  },
);

describe('a ticket, which is for WebSockets, does not open', () => {
  const closed = requests.filter(({ access }) => access !== 'public');
  test.each(closed.map((route) => [nameOf(route), route] as const))(
    '%s',
    async (name, { method, path, access }) => {
      const { query } = await ticketVisitors["a ticket of its owner's"]!({ gateway, mine, other });
      const example = exampleOf(name);
      const target = `${addressOf(path, example.name)}?${query}`;
      const { status } = await gateway.call(method, target, { body: example.body });
      expect(status).toBe(expectedRefusal(access, 'nobody', path));
    },
  );
});

describe.each(sockets.map((route) => [nameOf(route), route] as const))(
  'WebSocket %s',
  (_name, { path, access }) => {
    test.each(Object.keys({ ...visitors, ...ticketVisitors }))('with %s', async (who) => {
      const visitor = await { ...visitors, ...ticketVisitors }[who]!({ gateway, mine, other });
      const target = addressOf(path, 'main') + (visitor.query === undefined ? '' : `?${visitor.query}`);
      const refusal = await gateway.watch(target, visitor.headers).refusal;
      expect(refusal?.status).toBe(expectedRefusal(access, visitor.standing, path));
      if (refusal?.status === 404) expect(refusal.text).toBe(notFound);
      if (refusal !== undefined) expect(gateway.sessions.watching).toBe(0);
    });
  },
);

describe('Socket.IO', () => {
  test.each(Object.keys(visitors))('with %s', async (who) => {
    const { standing, headers } = await visitors[who]!({ gateway, mine, other });
    const socket = gateway.connect({}, headers);
    if (standing === 'nobody') {
      expect(await connected(socket)).toMatchObject({ status: 401 });
      return;
    }
    expect(await connected(socket)).toBe('connected');
    const answer: unknown = await socket.emitWithAck('watch', { session: mine.session.id });
    if (expectedRefusal('session', standing, '/') === undefined) return expect(answer).toEqual({ ok: true });
    expect(answer).toEqual({ ok: false, status: 404, detail: 'Session not found' });
    expect(await socket.emitWithAck('watch', { session: `z${'0'.repeat(19)}` })).toEqual(answer);
    expect(gateway.sessions.watching).toBe(0);
  });

  test('takes a key or a ticket at the handshake, and the ticket once', async () => {
    const key = mine.sessionHeaders['x-session-api-key']!;
    const byKey = gateway.connect({ key });
    expect(await connected(byKey)).toBe('connected');
    expect(await byKey.emitWithAck('watch', { session: mine.session.id })).toEqual({ ok: true });
    const { query } = await ticketVisitors['a ticket for it alone']!({ gateway, mine, other });
    const ticket = query!.slice('ticket='.length);
    expect(await connected(gateway.connect({ ticket }))).toBe('connected');
    expect(await connected(gateway.connect({ ticket }))).toMatchObject({ status: 401 });
    expect(await connected(gateway.connect({ key: 'made-up' }))).toMatchObject({ status: 401 });
  });
});

test('a session that does not exist answers as that of another does, whatever its id looks like', async () => {
  for (const id of [`z${'0'.repeat(19)}`, 'short', '%2e%2e', "'", 'S'.repeat(20)]) {
    const answer = await gateway.call('GET', `/api/sessions/${id}`, { headers: mine.headers });
    expect([answer.status, answer.text]).toEqual([404, notFound]);
  }
});

function nameOf({ method, path }: ServedRoute): string {
  return `${method} ${path}`;
}

function exampleOf(name: string): Example {
  const example = examples[name]!;
  return typeof example === 'function' ? example(mine) : example;
}

function addressOf(path: string, name = 'x'): string {
  return path.replace('{session}', mine.session.id).replace(/\{\w+\}/, name);
}
