import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from './support/test-gateway.ts';
import { cookieFor, ticketFor } from './support/visitors.ts';

describe('credentials', () => {
  test('are asked for with a challenge, except where the V0 contract has its own words', async () => {
    const { call } = await startTestGateway();
    for (const path of ['/api/sessions', '/nothing', '/sessions/x', '/openapi.json']) {
      const answer = await call('GET', path);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="fairlead"');
      expect(answer.json.detail).toContain('Authorization: Bearer');
    }
    const v0 = await call('GET', '/runtimes/x/alive', { headers: { 'x-session-api-key': 'wrong' } });
    expect([v0.status, v0.json]).toEqual([403, { detail: 'Invalid API Key' }]);
  });

  test('come before the path: who has none does not learn which exist', async () => {
    const { call, addTenant } = await startTestGateway();
    const { headers } = await addTenant('anna');
    expect((await call('GET', '/nothing')).status).toBe(401);
    expect((await call('GET', '/nothing', { headers })).status).toBe(404);
    expect((await call('PUT', '/api/sessions')).status).toBe(401);
    const refused = await call('DELETE', '/api/sessions', { headers });
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'POST, GET, HEAD']);
  });

  test('are not needed for health alone', async () => {
    const { call } = await startTestGateway();
    expect(await call('GET', '/api/health')).toMatchObject({ status: 200, json: { status: 'ok' } });
  });

  test('leave a line in the audit log with each decision, and no secret anywhere', async () => {
    const { call, addTenant, audited, watch, logged } = await startTestGateway();
    const { headers, keyId, sessionHeaders, session } = await addTenant('anna');
    await call('GET', '/api/me', { headers });
    await call('GET', '/api/me', { headers: { authorization: 'Bearer fl_nobody' } });
    await call('GET', `/runtimes/${session.id}/alive`, { headers: sessionHeaders });
    const { ticket } = (await call('POST', '/api/tickets', { headers })).json;
    await watch(`/api/sessions/${session.id}/events?ticket=${ticket}`).refusal;
    await call('GET', `/login?ticket=${ticket}`);
    const lines = await audited();
    expect(lines).toMatchObject([
      { decision: 'allow', by: 'api-key', owner: 'anna', keyId, path: '/api/me' },
      { decision: 'deny', reason: 'malformed', path: '/api/me' },
      { decision: 'allow', by: 'session-key', sessionId: session.id },
      { decision: 'allow', path: '/api/tickets' },
      { decision: 'allow', by: 'ticket', path: `/api/sessions/${session.id}/events` },
      { decision: 'deny', reason: 'unknown', path: '/login' },
    ]);
    const all = JSON.stringify([lines, logged]);
    for (const secret of [
      ticket,
      headers['authorization']!.slice(-43),
      sessionHeaders['x-session-api-key']!,
    ]) {
      expect(all).not.toContain(secret);
    }
  });
});

describe('a browser', () => {
  test('gets a cookie for a ticket, once, and is sent on', async () => {
    const gateway = await startTestGateway();
    const { headers } = await gateway.addTenant('anna');
    const ticket = await ticketFor(gateway, headers);
    const looked = await gateway.call('HEAD', `/login?ticket=${ticket}`);
    expect(looked.status).toBe(200);
    const answer = await gateway.call('GET', `/login?ticket=${ticket}&to=/a%3Fb=c`);
    expect([answer.status, answer.headers['location']]).toEqual([303, '/a?b=c']);
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^fairlead=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/),
    ]);
    const again = await gateway.call('GET', `/login?ticket=${ticket}`);
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
    expect(again.headers['content-type']).toContain('text/html');
    expect(again.text).toContain('does not work any more');
    expect(again.text).not.toContain(ticket);
    expect((await gateway.call('GET', '/login')).status).toBe(422);
  });

  test.each([
    ['//evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['relative', '/'],
    ['', '/'],
    ['/a/../b#c', '/b#c'],
    ['/a\r\nset-cookie: x=y', '/aset-cookie:%20x=y'],
  ])('is sent nowhere else: %j', async (to, location) => {
    const gateway = await startTestGateway();
    const { headers } = await gateway.addTenant('anna');
    const ticket = await ticketFor(gateway, headers);
    const answer = await gateway.call('GET', `/login?ticket=${ticket}&to=${encodeURIComponent(to)}`);
    expect([answer.status, answer.headers['location']]).toEqual([303, location]);
    expect(answer.headers['set-cookie']).toHaveLength(1);
  });

  test('logs out: the cookie is taken away and opens nothing more', async () => {
    const gateway = await startTestGateway();
    const { headers } = await gateway.addTenant('anna');
    const cookie = await cookieFor(gateway, headers);
    expect((await gateway.call('GET', '/api/me', { headers: cookie })).status).toBe(200);
    const answer = await gateway.call('POST', '/logout', { headers: cookie });
    expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(/^fairlead=; .*Max-Age=0$/)]);
    expect((await gateway.call('GET', '/api/me', { headers: cookie })).status).toBe(401);
  });

  test('has a cookie for https alone where the public URL is one', async () => {
    const gateway = await startTestGateway({ publicUrl: 'https://agents.example' });
    const { headers } = await gateway.addTenant('anna');
    const ticket = await ticketFor(gateway, headers);
    const answer = await gateway.call('GET', `/login?ticket=${ticket}`);
    expect(answer.headers['set-cookie']?.[0]).toContain('; Secure');
  });

  test('must say for which page it changes or watches something', async () => {
    const gateway = await startTestGateway();
    const { headers, session } = await gateway.addTenant('anna');
    const { cookie, origin } = (await cookieFor(gateway, headers)) as { cookie: string; origin: string };
    const body = {};
    const post = (more: Record<string, string>) =>
      gateway.call('POST', '/api/tickets', { headers: { cookie, ...more }, body });
    expect((await post({})).status).toBe(403);
    expect((await post({ origin })).status).toBe(201);
    expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    const path = `/api/sessions/${session.id}/events`;
    expect((await gateway.watch(path, { cookie }).refusal)?.status).toBe(403);
    expect(await gateway.watch(path, { cookie, origin }).refusal).toBeUndefined();
    expect((await gateway.call('GET', '/api/me', { headers: { cookie } })).status).toBe(200);
  });

  test('of a session gets tickets for that session alone', async () => {
    const gateway = await startTestGateway();
    const { headers, session, sessionHeaders, owner } = await gateway.addTenant('anna');
    const sibling = await gateway.sessions.add(owner.id);
    const cookie = await cookieFor(gateway, sessionHeaders);
    expect((await gateway.call('GET', '/api/me', { headers: cookie })).json.session).toBe(session.id);
    expect((await gateway.call('GET', '/api/sessions', { headers: cookie })).status).toBe(403);
    const body = { session: sibling.id };
    expect((await gateway.call('POST', '/api/tickets', { headers: sessionHeaders, body })).status).toBe(404);
    expect((await gateway.call('POST', '/api/tickets', { headers, body })).status).toBe(201);
    expect((await gateway.call('POST', '/api/tickets', { headers, body: { sesion: 'x' } })).status).toBe(422);
  });
});

describe('Host and Origin', () => {
  test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '10.0.0.1'])(
    'a Host of %j is refused',
    async (host) => {
      const { call, addTenant, watch, sessions } = await startTestGateway();
      const { headers, session } = await addTenant('anna');
      const foreign = { ...headers, host };
      expect((await call('GET', '/api/me', { headers: foreign })).status).toBe(403);
      expect((await call('GET', '/api/health', { headers: foreign })).status).toBe(403);
      const refusal = await watch(`/api/sessions/${session.id}/events`, foreign).refusal;
      expect(refusal?.status).toBe(403);
      expect(sessions.watching).toBe(0);
    },
  );

  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]:8', 'gate.example', 'Agents.example'])(
    'a Host of %j is one of its names',
    async (host) => {
      const { call, addTenant } = await startTestGateway({
        allowedHosts: ['gate.example'],
        publicUrl: 'https://agents.example/base',
      });
      const { headers } = await addTenant('anna');
      const { status } = await call('GET', '/base/api/me', { headers: { ...headers, host } });
      expect(status).toBe(200);
    },
  );

  test.each(['https://evil.example', 'null', 'http://127.0.0.1', 'http://localhost:1'])(
    'an Origin of %s is refused',
    async (origin) => {
      const { call, addTenant, watch } = await startTestGateway();
      const { headers, session } = await addTenant('anna');
      const foreign = { ...headers, origin };
      const { status } = await call('POST', '/api/sessions', { headers: foreign, body: {} });
      expect(status).toBe(403);
      const refusal = await watch(`/api/sessions/${session.id}/events`, foreign).refusal;
      expect(refusal?.status).toBe(403);
    },
  );

  test.each([
    ['agents.example', 'http://agents.example', 403],
    ['agents.example', 'https://agents.example', 200],
    ['Agents.example', 'https://agents.example:444', 403],
    ['gate.example', 'http://gate.example', 200],
    ['gate.example', 'https://gate.example', 403],
    ['localhost:81', 'http://LOCALHOST:81', 200],
    ['localhost:81', 'https://localhost:81', 403],
  ])('at Host %s, Origin %s is answered with %i', async (host, origin, status) => {
    const { call, addTenant } = await startTestGateway({
      allowedHosts: ['gate.example'],
      publicUrl: 'https://agents.example',
    });
    const { headers } = await addTenant('anna');
    const answer = await call('GET', '/api/me', { headers: { ...headers, host, origin } });
    expect(answer.status).toBe(status);
  });

  test('its own pages, and those of the public URL, are let in', async () => {
    const { call, addTenant, server } = await startTestGateway({ publicUrl: 'https://agents.example' });
    const { headers } = await addTenant('anna');
    for (const origin of [server.url, 'https://agents.example']) {
      const { status } = await call('POST', '/api/sessions', { headers: { ...headers, origin }, body: {} });
      expect(status).toBe(201);
    }
  });
});

describe('limits', () => {
  const roomy = { perSecond: 1000, burst: 1000 };

  test('an owner that asks too often waits, and others do not', async () => {
    const requests = { perSecond: 0.1, burst: 3 };
    const { call, addTenant } = await startTestGateway({ rateLimits: { requests, failures: roomy } });
    const { headers, sessionHeaders } = await addTenant('anna');
    const bert = await addTenant('bert');
    for (let at = 0; at < 3; at += 1) expect((await call('GET', '/api/me', { headers })).status).toBe(200);
    const refused = await call('GET', '/api/me', { headers });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
    expect(refused.json.detail).toContain('try again in 10 s');
    const both = { ...headers, ...sessionHeaders };
    expect((await call('GET', '/api/me', { headers: both })).status).toBe(429);
    expect((await call('GET', '/api/me', { headers: bert.headers })).status).toBe(200);
  });

  test("a session's own key that is used too often takes nothing from its owner, and has its own limit", async () => {
    const requests = { perSecond: 0.1, burst: 3 };
    const { call, addTenant } = await startTestGateway({ rateLimits: { requests, failures: roomy } });
    const { headers, sessionHeaders } = await addTenant('anna');
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1)
      statuses.push((await call('GET', '/api/me', { headers: sessionHeaders })).status);
    for (let at = 0; at < 4; at += 1) statuses.push((await call('GET', '/api/me', { headers })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 200, 429]);
  });

  test('an address that guesses keys waits, and so does one that asks for health too often', async () => {
    const few = { perSecond: 0.1, burst: 2 };
    const { call } = await startTestGateway({ rateLimits: { requests: few, failures: few } });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await call('GET', '/api/me')).status);
    for (let at = 0; at < 3; at += 1) statuses.push((await call('GET', '/api/health')).status);
    for (const path of ['/runtimes/x/alive', '/login?ticket=guessed'])
      statuses.push((await call('GET', path)).status);
    expect(statuses).toEqual([401, 401, 429, 200, 200, 429, 429, 429]);
    // Who asks for health keeps nobody at the same address from watching.
    const handshake = () => call('GET', '/socket.io/?EIO=4&transport=polling');
    for (let at = 0; at < 2; at += 1) expect((await handshake()).status).toBe(200);
    const refused = await handshake();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
  });

  test('headers of more than 16 KiB, and what is not HTTP, are refused as JSON', async () => {
    const { call, server } = await startTestGateway();
    const large = await call('GET', '/api/health', { headers: { 'x-large': 'x'.repeat(17_000) } });
    expect([large.status, large.json.detail]).toEqual([431, expect.stringContaining('Bad request')]);
    const answer = await new Promise<string>((resolve) => {
      const socket = connectTcp(server.port, '127.0.0.1', () => socket.end('NOT HTTP\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"detail":"Bad request: Bad Request"\}$/);
  });

  test('a fault is told without its cause, which is in the log', async () => {
    const { call, addTenant, sessions, logged } = await startTestGateway();
    const { headers } = await addTenant('anna');
    sessions.list = () => Promise.reject(new Error('the disk is on fire'));
    const { status, json } = await call('GET', '/api/sessions', { headers });
    expect([status, json]).toEqual([
      500,
      { detail: 'An unexpected error occurred. Please try again later.' },
    ]);
    expect(logged).toEqual(['GET /api/sessions 500: the disk is on fire']);
  });
});

describe('closing', () => {
  test('ends what is watched and frees the port', async () => {
    const { server, watch, addTenant, connect, sessions } = await startTestGateway();
    const { headers, session } = await addTenant('anna');
    const watcher = watch(`/api/sessions/${session.id}/events`, headers);
    await watcher.until(({ messages }) => messages.length === 1);
    const socket = connect({}, headers);
    await new Promise((resolve) => socket.on('connect', () => resolve(undefined)));
    await socket.emitWithAck('watch', { session: session.id });
    expect(sessions.watching).toBe(2);
    await server.close();
    expect(await watcher.closed).toMatchObject({ code: 1001 });
    await expect.poll(() => sessions.watching).toBe(0);
    await expect(fetch(`${server.url}/api/health`)).rejects.toThrow();
  });

  test('a port that is taken is told', async () => {
    const { server } = await startTestGateway();
    await expect(startTestGateway({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
