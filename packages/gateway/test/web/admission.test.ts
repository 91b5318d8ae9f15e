import { beforeEach, describe, expect, test } from 'vitest';
import { cookieFor, visitors } from '../fronts/support/visitors.ts';
import { cookieOf, navigation, pathOf, type Stage, startStage } from './support/web-stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await startStage();
});

const statusByStanding = { owner: 200, session: 200, 'other-owner': 404, 'other-session': 404, nobody: 401 };

describe.each(['app', 'vscode'] as const)('a visit to %s', (where) => {
  test.each(Object.keys(visitors))('with %s', async (who) => {
    const { standing, headers } = await visitors[who]!(stage);
    const before = stage.gateway.sessions.touched.length;
    const answer = await stage.get(stage[where], headers);
    expect(answer.status).toBe(statusByStanding[standing]);
    if (answer.status === 200) return expect(answer.text).toBe('reached GET /');
    expect(stage.reached).toEqual([]);
    expect(stage.editorVisits()).toBe(0);
    expect(stage.gateway.sessions.touched.length).toBe(before);
  });

  test.each(Object.keys(visitors))('by WebSocket with %s', async (who) => {
    const { standing, headers } = await visitors[who]!(stage);
    const refusal = await stage.gateway.watch(stage[where], headers).refusal;
    const expected = statusByStanding[standing];
    expect(refusal?.status).toBe(expected === 200 ? undefined : expected);
    if (refusal !== undefined) expect(stage.reached).toEqual([]);
  });
});

test('a session that is not there looks like one of somebody else', async () => {
  const paths = [stage.app, stage.app.replace(stage.mine.session.id, `z${'0'.repeat(19)}`)];
  const answers = await Promise.all(paths.map((path) => stage.go(path, stage.other.headers)));
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect(answers[0]!.text).toBe(answers[1]!.text);
});

test('who has nothing to show is told how to get in, whether there is such a session or not', async () => {
  const { status, text } = await stage.go(stage.vscode);
  expect(status).toBe(401);
  expect(text).toContain(`fairlead open ${stage.mine.session.id}`);
  const none = `z${'0'.repeat(19)}`;
  const answer = await stage.go(`/vscode/${none}/`);
  expect(answer.text).toBe(text.replaceAll(stage.mine.session.id, none));
});

test("an app's own Authorization reaches the app, and the gateway's keys do not", async () => {
  const { sessionHeaders } = stage.mine;
  await stage.get(stage.app, {
    ...sessionHeaders,
    authorization: 'Bearer of-the-app',
    'x-api-key': 'theirs',
  });
  const { authorization, ...headers } = stage.reached[0]!.headers;
  expect([authorization, headers['x-api-key'], headers['x-session-api-key']]).toEqual([
    'Bearer of-the-app',
    'theirs',
    undefined,
  ]);
  expect((await stage.get(stage.app, { authorization: 'Bearer of-the-app' })).status).toBe(401);
});

describe('a place cookie', () => {
  let cookie: string;

  beforeEach(async () => {
    cookie = cookieOf(await stage.go(pathOf(await stage.link({ place: 'app', number: 1 }))));
  });

  test('opens its place, and neither the API nor another session', async () => {
    expect((await stage.get(stage.app, { cookie })).status).toBe(200);
    for (const path of ['/api/me', '/api/sessions', `/runtimes/${stage.mine.session.id}/alive`]) {
      expect((await stage.get(path, { cookie })).status).toBeGreaterThanOrEqual(401);
      const value = cookie.slice(cookie.indexOf('=') + 1);
      const asLogin = await stage.get(path, { cookie: `fairlead=${value}` });
      expect(asLogin.status).toBeGreaterThanOrEqual(401);
      const asKey = await stage.get(path, { authorization: `Bearer ${value}` });
      expect(asKey.status).toBeGreaterThanOrEqual(401);
    }
    const { id } = stage.other.session;
    expect((await stage.get(`/apps/${id}-1/`, { cookie })).status).toBe(401);
    const renamed = cookie.replace(stage.mine.session.id, id);
    expect((await stage.get(`/apps/${id}-1/`, { cookie: renamed })).status).toBe(401);
  });

  test('is not seen by the app', async () => {
    await stage.get(stage.app, { cookie: `${cookie}; theirs=1` });
    expect(stage.reached[0]!.headers.cookie).toBe('theirs=1');
  });

  test('counts among others of its name, which a page of the same host may have set', async () => {
    const name = cookie.split('=', 1)[0]!;
    const tossed = `${name}=made-up; ${name}=; ${cookie}; ${name}=x.y`;
    expect((await stage.get(stage.app, { cookie: tossed })).status).toBe(200);
    expect((await stage.get(stage.app, { cookie: `${name}=made-up; ${name}=a.b` })).status).toBe(401);
  });

  test('cannot be changed', async () => {
    const [name, value] = [cookie.slice(0, cookie.indexOf('=')), cookie.slice(cookie.indexOf('=') + 1)];
    const [body = '', signature = ''] = value.split('.');
    const content = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...content, e: content.e + 1 })).toString('base64url');
    for (const text of [`${forged}.${signature}`, `${body}.`, body, `${body}.${signature}x`, '.', '']) {
      expect((await stage.get(stage.app, { cookie: `${name}=${text}` })).status).toBe(401);
    }
  });

  test('ends with the key that its link was made with', async () => {
    await stage.gateway.store.keys.revoke(stage.mine.keyId, new Date().toISOString());
    expect((await stage.get(stage.app, { cookie })).status).toBe(401);
  });

  test('ends with the login that its link was made in', async () => {
    const login = await cookieFor(stage.gateway, stage.mine.headers);
    const link = await stage.link({ place: 'app', number: 1 }, login);
    const ofLogin = cookieOf(await stage.go(pathOf(link)));
    expect((await stage.get(stage.app, { cookie: ofLogin })).status).toBe(200);
    await stage.send('POST', '/logout', { headers: login });
    expect((await stage.get(stage.app, { cookie: ofLogin })).status).toBe(401);
    expect((await stage.get(stage.app, { cookie })).status).toBe(200);
  });

  test('ends with the session', async () => {
    expect((await stage.get(stage.app, { cookie })).status).toBe(200);
    await stage.send('DELETE', `/api/sessions/${stage.mine.session.id}`, { headers: stage.mine.headers });
    expect((await stage.get(stage.app, { cookie })).status).toBe(404);
  });

  test('is for a page of the place itself', async () => {
    const origin = stage.gateway.server.url;
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { origin: origin.replace('http:', 'https:') },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    ];
    for (const headers of foreign) {
      expect((await stage.get(stage.app, { cookie, ...headers })).status).toBe(403);
      expect((await stage.send('POST', stage.app, { headers: { cookie, ...headers } })).status).toBe(403);
      const refusal = await stage.gateway.watch(stage.app, { cookie, ...headers }).refusal;
      expect(refusal?.status).toBe(403);
    }
    expect((await stage.send('POST', stage.app, { headers: { cookie } })).status).toBe(403);
    expect((await stage.gateway.watch(stage.app, { cookie }).refusal)?.status).toBe(403);
    expect(stage.reached).toEqual([]);
    const own = [
      { origin },
      { 'sec-fetch-site': 'same-origin' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of own) {
      expect((await stage.send('POST', stage.app, { headers: { cookie, ...headers } })).status).toBe(200);
    }
    expect(await stage.gateway.watch(stage.app, { cookie, origin }).refusal).toBeUndefined();
    const fromElsewhere = { cookie, ...navigation, 'sec-fetch-site': 'cross-site' };
    expect((await stage.get(stage.app, fromElsewhere)).status).toBe(200);
  });
});

test('a foreign Host is refused, whoever asks', async () => {
  const { headers } = stage.mine;
  expect((await stage.get(stage.app, { ...headers, host: 'evil.example' })).status).toBe(403);
  const refusal = await stage.gateway.watch(stage.app, { ...headers, host: 'evil.example' }).refusal;
  expect(refusal?.status).toBe(403);
});

test('those who fail too often wait, and those who are let in do not', async () => {
  const limits = { requests: { perSecond: 0.1, burst: 5 }, failures: { perSecond: 0.1, burst: 2 } };
  const { get, app, mine } = await startStage({ rateLimits: limits });
  const refusals = [await get(app), await get(app), await get(app)];
  expect(refusals.map(({ status }) => status)).toEqual([401, 401, 429]);
  expect(refusals[2]!.headers['retry-after']).toBeDefined();
  for (let at = 0; at < 20; at += 1) expect((await get(app, mine.headers)).status).toBe(200);
});

test('who is told that there is no such session is refused in the audit log', async () => {
  expect((await stage.get(stage.app, stage.other.headers)).status).toBe(404);
  expect((await stage.get(stage.app, stage.mine.headers)).status).toBe(200);
  const lines = (await stage.gateway.audited()).filter(({ path }) => path === stage.app);
  expect(lines).toMatchObject([
    { decision: 'deny', reason: 'unknown', keyId: stage.other.keyId, sessionId: stage.mine.session.id },
    { decision: 'allow', keyId: stage.mine.keyId },
  ]);
});

test('one line of the audit log stands for the files of a page', async () => {
  for (let at = 0; at < 20; at += 1) await stage.get(`${stage.app}file-${at}`, stage.mine.headers);
  const lines = await stage.gateway.audited();
  const allowed = lines.filter(({ path }) => path.startsWith('/apps/'));
  expect(allowed.length).toBeLessThan(20);
  expect(allowed[0]).toMatchObject({ decision: 'allow', owner: 'mine', by: 'api-key' });
});
