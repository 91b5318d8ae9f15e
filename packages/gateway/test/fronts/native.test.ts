import { describe, expect, test } from 'vitest';
import { createdSession, session as sessionSchema } from '@fairlead/protocol';
import { GatewayError } from '../../src/gateway-error.ts';
import { startTestGateway } from './support/test-gateway.ts';

describe('POST /api/sessions', () => {
  test('answers with the session, its key and its address', async () => {
    const { call, addTenant, server } = await startTestGateway();
    const { headers, owner } = await addTenant('anna');
    const body = { labels: { team: 'blue' }, env: { TOKEN: 'secret' } };
    const { status, json, text, headers: answered } = await call('POST', '/api/sessions', { headers, body });
    expect(status).toBe(201);
    expect(createdSession.strict().parse(json)).toMatchObject({
      owner: owner.name,
      labels: { team: 'blue' },
    });
    expect(json.url).toBe(`${server.url}/runtimes/${json.id}`);
    expect(answered['location']).toBe(`/api/sessions/${json.id}`);
    expect(text).not.toContain('secret');
    const keyed = { 'x-session-api-key': json.key as string };
    expect((await call('GET', `/api/sessions/${json.id}`, { headers: keyed })).status).toBe(200);
  });

  test('tells its progress when it is asked for an event stream', async () => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers } = await addTenant('anna');
    sessions.progress.push('pulling image', 'line\nbreak');
    const accept = { ...headers, accept: 'text/event-stream' };
    const { status, text } = await call('POST', '/api/sessions', { headers: accept, body: {} });
    expect(status).toBe(200);
    const [first, second, created] = text.trimEnd().split('\n\n');
    expect(first).toBe('event: progress\ndata: {"text":"pulling image"}');
    expect(second).toBe('event: progress\ndata: {"text":"line\\nbreak"}');
    const data = /^event: created\ndata: (.*)$/.exec(created!)![1]!;
    expect(createdSession.parse((JSON.parse(data) as { session: unknown }).session).state).toBe('running');
  });

  test('tells a failure as an answer, and on an event stream as its last event', async () => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers } = await addTenant('anna');
    sessions.failure = new GatewayError('runtime-failed', 'bwrap is missing');
    const answer = await call('POST', '/api/sessions', { headers, body: {} });
    expect([answer.status, answer.json]).toEqual([502, { detail: 'bwrap is missing' }]);
    const accept = { ...headers, accept: 'text/event-stream' };
    const streamed = await call('POST', '/api/sessions', { headers: accept, body: {} });
    expect(streamed.text).toBe('event: error\ndata: {"status":502,"detail":"bwrap is missing"}\n\n');
  });

  test.each([
    ['limit-reached', 429, '30'],
    ['not-allowed', 403, undefined],
    ['bad-request', 400, undefined],
    ['shutting-down', 503, '5'],
    ['conflict', 409, undefined],
  ] as const)('tells %s as %i', async (code, status, retryAfter) => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers } = await addTenant('anna');
    sessions.failure = new GatewayError(code, 'because');
    const answer = await call('POST', '/api/sessions', { headers, body: {} });
    expect([answer.status, answer.json]).toEqual([status, { detail: 'because' }]);
    expect(answer.headers['retry-after']).toBe(retryAfter);
  });

  test.each([
    ['{"driver": ', 'the text ends'],
    ['[]', 'expected object'],
    [{ driver: 'vm' }, 'driver: '],
    [{ colour: 'red' }, 'colour'],
    [{ workspace: { kind: 'folder', path: 'relative' } }, 'workspace.path: use an absolute path'],
    [{ workspace: { kind: 'git', url: '--upload-pack=touch /tmp/x' } }, 'workspace.url: '],
    [{ env: { 'A B': '' } }, 'env.A B: '],
    [{ env: { A: 'nul\0' } }, 'env: must not contain NUL'],
    [{ limits: { memoryMb: 1 } }, 'limits.memoryMb: '],
    [{ idleTimeoutSeconds: 0 }, 'idleTimeoutSeconds: '],
    [
      { labels: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`l${at}`, ''])) },
      'at most 32 labels',
    ],
    [{ image: '-rm' }, 'image: '],
  ])('refuses %j', async (body, message) => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers } = await addTenant('anna');
    const { status, json } = await call('POST', '/api/sessions', { headers, body });
    expect([status, json.detail]).toEqual([422, 'Invalid request parameters']);
    expect(json.errors).toContain(message);
    expect(sessions.records.size).toBe(1);
  });

  test('refuses a body of more than a mebibyte, declared or not', async () => {
    const { call, addTenant } = await startTestGateway();
    const { headers } = await addTenant('anna');
    const body = JSON.stringify({ labels: { a: 'x'.repeat(1024 * 1024) } });
    expect((await call('POST', '/api/sessions', { headers, body })).status).toBe(413);
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    expect((await call('POST', '/api/sessions', { headers: chunked, body })).status).toBe(413);
  });
});

describe('GET /api/sessions', () => {
  test("lists the owner's own, by states and labels", async () => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers, owner } = await addTenant('anna');
    await addTenant('bert');
    await sessions.add(owner.id, { state: 'paused', labels: { team: 'blue', 'a/b': 'c=d' } });
    await sessions.add(owner.id, { state: 'failed', labels: { team: 'blue' }, reason: 'out of memory' });
    const list = async (query: string) => {
      const { status, json } = await call('GET', `/api/sessions${query}`, { headers });
      expect(status).toBe(200);
      return (json.sessions as unknown[]).map((one) => sessionSchema.strict().parse(one).state);
    };
    expect(await list('')).toEqual(['running', 'paused', 'failed']);
    expect(await list('?state=paused&state=failed')).toEqual(['paused', 'failed']);
    expect(await list('?label=team%3Dblue')).toEqual(['paused', 'failed']);
    expect(await list('?label=team=blue&label=a/b=c=d')).toEqual(['paused']);
    expect(await list('?state=stopped')).toEqual([]);
  });

  test.each(['?state=gone', '?label=team', '?label==x'])('refuses %s', async (query) => {
    const { call, addTenant } = await startTestGateway();
    const { headers } = await addTenant('anna');
    expect((await call('GET', `/api/sessions${query}`, { headers })).status).toBe(422);
  });
});

describe('a session', () => {
  test('is paused, resumed, stopped, extended and removed', async () => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    const post = async (verb: string, body?: unknown) =>
      (await call('POST', `/api/sessions/${session.id}/${verb}`, { headers, body })).json;
    expect((await post('pause')).state).toBe('paused');
    expect((await post('resume', {})).state).toBe('running');
    expect(await post('stop')).toMatchObject({ state: 'stopped', reason: 'stopped by its owner' });
    expect((await post('extend')).expiresAt).toBeNull();
    const { expiresAt } = await post('extend', { seconds: 3600 });
    expect(Date.parse(expiresAt as string)).toBeGreaterThan(Date.now() + 3_500_000);
    const removed = await call('DELETE', `/api/sessions/${session.id}`, { headers });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(sessions.records.size).toBe(0);
    expect((await call('DELETE', `/api/sessions/${session.id}`, { headers })).status).toBe(404);
  });

  test.each([[{ seconds: -1 }], [{ seconds: 'long' }], [{ secnds: 1 }], ['{']])(
    'is not extended by %j',
    async (body) => {
      const { call, addTenant } = await startTestGateway();
      const { headers, session } = await addTenant('anna');
      const { status } = await call('POST', `/api/sessions/${session.id}/extend`, { headers, body });
      expect(status).toBe(422);
    },
  );

  test('that does not allow a change answers 409 with what to do', async () => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    sessions.failure = new GatewayError('wrong-state', 'The session is stopped; resume it');
    const answer = await call('POST', `/api/sessions/${session.id}/pause`, { headers });
    expect([answer.status, answer.json]).toEqual([409, { detail: 'The session is stopped; resume it' }]);
  });
});

describe('POST /api/sessions/{session}/actions', () => {
  const run = (command: string) => ({ action: 'run', args: { command } });

  test('answers with the observation, under the id and key of the client', async () => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    const path = `/api/sessions/${session.id}/actions`;
    const named = { ...headers, 'x-action-id': 'mine', 'idempotency-key': 'once' };
    const first = await call('POST', path, { headers: named, body: run('date') });
    expect([first.status, first.json.observation, first.json.content]).toEqual([200, 'run', 'date']);
    expect(first.headers['x-action-id']).toBe('mine');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const second = await call('POST', path, { headers: named, body: run('date') });
    expect(second.headers['idempotent-replayed']).toBe('true');
    const reused = await call('POST', path, { headers: named, body: run('other') });
    expect([reused.status, reused.json.detail]).toEqual([422, expect.stringContaining('different body')]);
    expect(sessions.executed[0]).toMatchObject({
      actionId: 'mine',
      idempotencyKey: 'once',
      event: run('date'),
    });
  });

  test.each([
    [{ action: 'run', args: {} }, 400, 'run: args.command'],
    [{ action: 'run', args: { command: 'x' }, timeout: -1 }, 400, 'timeout'],
    [{ action: 'run', args: { command: 'x' }, shell: 'a b' }, 400, 'shell'],
    [{ observation: 'run' }, 400, 'Unknown event type'],
    ['[1]', 422, 'Invalid request parameters'],
    ['', 422, 'Invalid request parameters'],
    ['{', 422, 'Invalid request parameters'],
  ])('refuses %j', async (body, status, message) => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    const answer = await call('POST', `/api/sessions/${session.id}/actions`, { headers, body });
    expect([answer.status, answer.json.detail]).toEqual([status, expect.stringContaining(message)]);
    expect(sessions.executed).toEqual([]);
  });

  test.each([
    ['x-action-id', 'a b'],
    ['x-action-id', 'x'.repeat(129)],
    ['idempotency-key', 'x'.repeat(201)],
  ])('refuses %s: %s', async (name, value) => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    const path = `/api/sessions/${session.id}/actions`;
    const answer = await call('POST', path, { headers: { ...headers, [name]: value }, body: run('x') });
    expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining(name)]);
    expect(sessions.executed).toEqual([]);
  });

  test('answers an action that no runtime knows without recording it', async () => {
    const { call, addTenant, sessions } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    const body = { action: 'think', args: {} };
    const { status, json } = await call('POST', `/api/sessions/${session.id}/actions`, { headers, body });
    expect([status, json.observation, json.content]).toEqual([
      200,
      'error',
      expect.stringContaining('Available actions'),
    ]);
    expect(sessions.executed).toEqual([]);
  });

  test('answers 409 where the session does not run, and 502 where its sandbox fails', async () => {
    const { call, addTenant } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    const path = `/api/sessions/${session.id}/actions`;
    expect((await call('POST', path, { headers, body: run('lost') })).status).toBe(502);
    session.state = 'paused';
    expect((await call('POST', path, { headers, body: run('x') })).status).toBe(409);
  });
});

test('GET /api/me tells what the key opens', async () => {
  const { call, addTenant } = await startTestGateway();
  const { headers, session, sessionHeaders } = await addTenant('anna');
  const owner = { name: 'anna', role: 'tenant' };
  expect((await call('GET', '/api/me', { headers })).json).toEqual({ owner, session: null });
  const bySession = await call('GET', '/api/me', { headers: sessionHeaders });
  expect(bySession.json).toEqual({ owner, session: session.id });
});

test('GET /openapi.json describes every route, and which need no key', async () => {
  const { call, addTenant } = await startTestGateway();
  const { headers } = await addTenant('anna');
  const { json } = await call('GET', '/openapi.json', { headers });
  const { servedRoutes } = await import('../../src/fronts/table.ts');
  const described = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(
    [...new Set(servedRoutes.map(({ method, path }) => `${method} ${path}`))].sort(),
  );
  expect(json.paths['/api/health'].get.security).toEqual([]);
  expect(json.paths['/api/sessions'].post.security).toContainEqual({ bearer: [] });
  const events = json.paths['/api/sessions/{session}/events'].get.responses;
  expect(Object.keys(events)).toEqual(expect.arrayContaining(['101', '200']));
});
