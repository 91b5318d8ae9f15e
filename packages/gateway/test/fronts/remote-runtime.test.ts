import { describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../../src/gateway-error.ts';
import { startTestGateway } from './support/test-gateway.ts';

/** What OpenHands' RemoteRuntime sends. */
const startRequest = {
  image: 'ghcr.io/all-hands-ai/runtime:0.62-nikolaik',
  command: ['/openhands/micromamba/bin/micromamba', 'run', '-n', 'openhands', 'poetry', 'run', 'python'],
  working_dir: '/openhands/code/',
  environment: { DEBUG: 'true' },
  session_id: '0f5a8c27e9',
  resource_factor: 2,
};

async function start(options: Parameters<typeof startTestGateway>[0] = {}) {
  const gateway = await startTestGateway(options);
  const tenant = await gateway.addTenant('anna');
  const headers = { 'x-api-key': tenant.headers['authorization']!.slice('Bearer '.length) };
  const post = (path: string, body: unknown, more = {}) =>
    gateway.call('POST', path, { headers: { ...headers, ...more }, body });
  const get = (path: string) => gateway.call('GET', path, { headers });
  return { ...gateway, tenant, post, get };
}

test('a stock client goes from nothing to a runtime that is ready, and stops it', async () => {
  const { post, get, call, server, sessions } = await start();
  expect((await get(`/sessions/${startRequest.session_id}`)).status).toBe(404);
  const started = await post('/start', startRequest);
  expect(started.status).toBe(201);
  const { runtime_id: id, session_api_key: key } = started.json;
  expect(started.json).toEqual({
    runtime_id: id,
    session_id: startRequest.session_id,
    url: `${server.url}/${id}`,
    session_api_key: key,
    work_hosts: { [`${server.url}/apps/${id}-1/`]: 20_001, [`${server.url}/apps/${id}-2/`]: 20_002 },
    status: 'running',
    pod_status: 'ready',
    restart_count: 0,
    restart_reasons: [],
  });
  expect(sessions.records.get(id)).toMatchObject({
    driver: 'local',
    image: null,
    env: { DEBUG: 'true' },
    limits: {},
  });
  expect((await get(`/runtime/${id}`)).json).toEqual(started.json);
  expect((await get(`/sessions/${startRequest.session_id}`)).json).toEqual(started.json);
  const body = { action: { action: 'run', args: { command: 'true' } } };
  // From now on it sends both keys with everything.
  const both = { 'x-session-api-key': key as string };
  const acted = await call('POST', `/runtimes/${id}/execute_action`, { headers: both, body });
  expect(acted.status).toBe(200);
  const paused = await post('/pause', { runtime_id: id }, both);
  expect([paused.status, paused.json.status, paused.json.pod_status]).toEqual([200, 'paused', 'not found']);
  const resumed = await post('/resume', { runtime_id: id }, both);
  expect([resumed.json.status, resumed.json.session_api_key]).toEqual(['running', key]);
  const stopped = await post('/stop', { runtime_id: id }, both);
  expect([stopped.status, stopped.json.status]).toEqual([200, 'stopped']);
});

describe('POST /start', () => {
  test.each(['paused', 'stopped', 'failed'] as const)('goes on with one that is %s', async (state) => {
    const { post, sessions, tenant } = await start();
    tenant.session.state = state;
    const body = { ...startRequest, session_id: tenant.session.externalId };
    const { status, json } = await post('/start', body);
    expect([status, json.runtime_id, json.pod_status]).toEqual([200, tenant.session.id, 'ready']);
    expect(sessions.records.size).toBe(1);
  });

  test('leaves one alone that runs, also when two ask for it at once', async () => {
    const { post, sessions } = await start();
    const answers = await Promise.all([post('/start', startRequest), post('/start', startRequest)]);
    expect(answers[0].json.runtime_id).toBe(answers[1].json.runtime_id);
    expect(sessions.records.size).toBe(2);
  });

  test('finds one that was started at the same moment', async () => {
    const { post, sessions, tenant } = await start();
    const { findByExternalId } = sessions;
    let asked = 0;
    sessions.findByExternalId = async (...args) =>
      asked++ === 0 ? undefined : findByExternalId.apply(sessions, args);
    const { json } = await post('/start', { ...startRequest, session_id: tenant.session.externalId });
    expect(json.runtime_id).toBe(tenant.session.id);
  });

  test('names are of one owner: another starts its own under the same', async () => {
    const { post, addTenant, call } = await start();
    const other = await addTenant('bert');
    const mine = await post('/start', startRequest);
    const theirs = await call('POST', '/start', { headers: other.headers, body: startRequest });
    expect(theirs.status).toBe(201);
    expect(theirs.json.runtime_id).not.toBe(mine.json.runtime_id);
  });

  test('answers with a pending one when that takes long', async () => {
    const { post, get, sessions } = await start();
    let open = () => undefined as void;
    sessions.gate = new Promise((resolve) => (open = resolve));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = post('/start', startRequest);
      while (sessions.records.size < 2) await new Promise((resolve) => setImmediate(resolve));
      expect(sessions.creations.at(-1)?.isAwaited?.()).toBe(true);
      await vi.advanceTimersByTimeAsync(30_000);
      const { status, json } = await answer;
      expect([status, json.status, json.pod_status]).toEqual([201, 'running', 'pending']);
      // A client that looks for it must find it, also when it fails.
      expect(sessions.creations.at(-1)?.isAwaited?.()).toBe(false);
      open();
      expect((await get(`/runtime/${json.runtime_id}`)).json.pod_status).toBe('ready');
    } finally {
      vi.useRealTimers();
    }
  });

  test('passes images on to docker alone, and multiplies the limits of the gateway', async () => {
    const unitLimits = { cpus: 0.5, memoryMb: 1000, pids: 100 };
    const { post, sessions } = await start({ defaultDriver: 'docker', unitLimits });
    const { json } = await post('/start', startRequest);
    expect(sessions.records.get(json.runtime_id)).toMatchObject({
      driver: 'docker',
      image: startRequest.image,
      limits: { cpus: 1, memoryMb: 2000, pids: 200 },
    });
  });

  test('leaves out what no shell could have in its environment', async () => {
    const { post, sessions } = await start();
    const environment = {
      GOOD: 'x',
      NUMBER: 5,
      'A-B': 'x',
      '1A': 'x',
      'A=B': 'x',
      NUL: 'a\0b',
      NONE: null,
      '': '',
    };
    const { json } = await post('/start', { ...startRequest, environment });
    expect(sessions.records.get(json.runtime_id)?.env).toEqual({ GOOD: 'x', NUMBER: '5' });
  });

  test.each([
    [{}, 'session_id: '],
    [{ session_id: '' }, 'session_id: '],
    [{ session_id: 'a b' }, 'session_id: '],
    [{ session_id: 'x', environment: [] }, 'environment: '],
    [{ session_id: 'x', resource_factor: 0 }, 'resource_factor: '],
    ['', 'Field required'],
  ])('refuses %j', async (body, message) => {
    const { post, sessions } = await start();
    const { status, json } = await post('/start', body);
    expect([status, json.errors]).toEqual([422, expect.stringContaining(message)]);
    expect(sessions.records.size).toBe(1);
  });

  test('tells why nothing was started', async () => {
    const { post, sessions } = await start();
    sessions.failure = new GatewayError('runtime-failed', 'no such image');
    const { status, json } = await post('/start', startRequest);
    expect([status, json]).toEqual([502, { detail: 'no such image' }]);
  });
});

describe('the state of a runtime', () => {
  test.each([
    ['starting', 'running', 'pending'],
    ['running', 'running', 'ready'],
    ['paused', 'paused', 'not found'],
    ['stopped', 'stopped', 'not found'],
    ['failed', 'stopped', 'failed'],
  ] as const)('%s is told as %s and %s', async (state, status, podStatus) => {
    const { get, tenant } = await start();
    tenant.session.state = state;
    tenant.session.reason = state === 'failed' ? 'out of memory' : null;
    const { json } = await get(`/runtime/${tenant.session.id}`);
    expect([json.status, json.pod_status]).toEqual([status, podStatus]);
    expect(json.restart_reasons).toEqual(state === 'failed' ? ['out of memory'] : []);
  });
});

describe('changes', () => {
  test.each([
    ['/pause', 'paused'],
    ['/pause', 'stopped'],
    ['/resume', 'running'],
    ['/stop', 'stopped'],
    ['/stop', 'failed'],
  ] as const)('%s of one that is %s is as good as done', async (path, state) => {
    const { post, tenant } = await start();
    tenant.session.state = state;
    expect((await post(path, { runtime_id: tenant.session.id })).status).toBe(200);
    expect(tenant.session.state).toBe(state);
  });

  test.each(['/pause', '/resume', '/stop'])(
    '%s takes a null for nothing, and refuses nonsense',
    async (path) => {
      const { post } = await start();
      // A client whose start has failed has no id, and would report this failure in place of the real one.
      expect((await post(path, { runtime_id: null })).status).toBe(200);
      expect((await post(path, { runtime_id: 'made-up' })).status).toBe(404);
      expect((await post(path, { runtime_id: 5 })).status).toBe(422);
      expect((await post(path, {})).status).toBe(422);
      expect((await post(path, '[')).status).toBe(422);
    },
  );
});

test('GET /list has the runtimes that were started by name, and no others', async () => {
  const { get, post, sessions, tenant } = await start();
  await sessions.add(tenant.owner.id);
  await post('/start', startRequest);
  const { json } = await get('/list');
  expect(json.runtimes.map((one: { session_id: string }) => one.session_id)).toEqual([
    'name-of-anna',
    startRequest.session_id,
  ]);
  expect(json.runtimes[1]).toMatchObject({
    status: 'running',
    session_api_key: expect.stringMatching(/^fs_/),
  });
});

describe('images', () => {
  test('nothing needs to be built for the local driver', async () => {
    const { get } = await start();
    const { registry_prefix: prefix } = (await get('/registry_prefix')).json;
    const { json } = await get(`/image_exists?image=${prefix}/runtime:oh_v0.62.0_abc`);
    expect(json).toEqual({ exists: true, image: { upload_time: '', image_size_bytes: 0 } });
  });

  test('what only a build could make does not exist for docker, and building is refused with the remedy', async () => {
    const { get, post } = await start({ defaultDriver: 'docker' });
    const { registry_prefix: prefix } = (await get('/registry_prefix')).json;
    expect((await get(`/image_exists?image=${prefix}/runtime:x`)).json).toEqual({ exists: false });
    expect((await get('/image_exists?image=debian:12')).json.exists).toBe(true);
    expect((await get('/image_exists')).status).toBe(422);
    const built = await post('/build', Buffer.alloc(5_000_000));
    expect([built.status, built.json.detail]).toEqual([
      501,
      expect.stringContaining('SANDBOX_RUNTIME_CONTAINER_IMAGE'),
    ]);
  });
});

test('addresses are told by the public URL where there is one', async () => {
  const { post } = await start({ publicUrl: 'https://agents.example/' });
  const { json } = await post('/start', startRequest);
  expect(json.url).toBe(`https://agents.example/${json.runtime_id}`);
});
