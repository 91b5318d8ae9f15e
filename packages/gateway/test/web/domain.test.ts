import { beforeEach, describe, expect, test, vi } from 'vitest';
import { cookieFor } from '../fronts/support/visitors.ts';
import { cookieOf, maxAgeOf, navigation, type Stage, startStage } from './support/web-stage.ts';

const hourMs = 3_600_000;
const domain = 'fairlead.test';
const publicUrl = 'https://gate.fairlead.test';
let stage: Stage;
let appHost: string;
let editorHost: string;

beforeEach(async () => {
  stage = await startStage({ domain, publicUrl });
  const { id } = stage.mine.session;
  [appHost, editorHost] = [`${id}-1.${domain}`, `${id}-vscode.${domain}`];
});

const gate = { host: 'gate.fairlead.test' };

/** Goes to an address as a browser does, and tells what it is answered. */
function visit(url: string, headers: Record<string, string> = {}) {
  const { host, pathname, search } = new URL(url);
  return stage.get(pathname + search, { ...navigation, ...headers, host });
}

describe('a place with a host of its own', () => {
  test('is told by it, and opened by a link to it', async () => {
    const { json } = await stage.get(`/api/sessions/${stage.mine.session.id}`, {
      ...stage.mine.headers,
      ...gate,
    });
    expect([json.editorUrl, json.apps[0].url]).toEqual([`https://${editorHost}/`, `https://${appHost}/`]);
    const link = await stage.link({ place: 'app', number: 1 });
    expect(link).toContain(`https://${appHost}/?fairlead-ticket=`);
    const answer = await visit(link);
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-fairlead-\w{20}=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
      ),
    ]);
    const cookie = cookieOf(answer);
    const page = await visit(`https://${appHost}/api/me?x=//y`, { cookie });
    expect(page.text).toBe('reached GET /api/me?x=//y');
    expect(stage.reached[0]!.headers).toMatchObject({
      host: `localhost:${stage.appPort}`,
      'x-forwarded-host': appHost,
      'x-forwarded-proto': 'https',
    });
    // A page of a host beside it can set one of this name, but none that browsers protect.
    const tossed = cookie.replace('__Host-', '');
    expect((await stage.get('/', { host: appHost, cookie: tossed })).status).toBe(401);
  });

  test('has none of the gateway on it, and the gateway none of it', async () => {
    const { headers } = stage.mine;
    for (const path of [
      '/api/me',
      '/login?ticket=x',
      '/socket.io/?EIO=4&transport=polling',
      '/openapi.json',
    ]) {
      expect((await stage.get(path, { host: appHost })).status).toBe(401);
      expect((await stage.get(path, { ...headers, host: appHost })).text).toBe(`reached GET ${path}`);
    }
    const moved = await stage.get(`${stage.app}deep?x=1`, { ...gate, ...headers });
    expect([moved.status, moved.headers.location]).toEqual([307, `https://${appHost}/deep?x=1`]);
    expect((await stage.gateway.watch(stage.app, { ...gate, ...headers }).refusal)?.status).toBe(404);
    expect((await stage.get('/api/me', { ...headers, host: `other.${domain}` })).status).toBe(403);
    expect((await stage.get('/api/me', { ...headers, host: domain })).status).toBe(200);
  });

  test('does not know a login, which only another page can have set there', async () => {
    const { cookie = '' } = await cookieFor(stage.gateway, stage.mine.headers);
    expect((await stage.get('/', { host: appHost, cookie })).status).toBe(401);
  });

  test("cannot set the login of the gateway's own host, which is below the same domain", async () => {
    const { cookie = '' } = await cookieFor(stage.gateway, stage.other.headers);
    expect(cookie).toMatch(/^__Host-fairlead=/);
    expect((await stage.get('/api/me', { ...gate, cookie })).status).toBe(200);
    const tossed = cookie.replace('__Host-', '');
    expect((await stage.get('/api/me', { ...gate, cookie: tossed })).status).toBe(401);
    expect((await stage.get('/api/me', { ...gate, cookie: `${tossed}x; ${cookie}` })).status).toBe(200);
  });

  test("is entered by who is logged in at the gateway's own host", async () => {
    const { cookie = '' } = await cookieFor(stage.gateway, stage.mine.headers);
    const away = await visit(`https://${appHost}/deep?x=1`);
    expect(away.status).toBe(303);
    expect(away.headers.location).toContain(`${publicUrl}/vscode/${stage.mine.session.id}/.fairlead/enter?`);
    const back = await visit(away.headers.location!, { cookie });
    expect(back.headers.location).toContain(`https://${appHost}/deep?x=1&fairlead-ticket=`);
    const there = await visit(back.headers.location!);
    expect([there.status, there.headers.location]).toEqual([303, '/deep?x=1']);
    const page = await visit(`https://${appHost}/deep?x=1`, { cookie: cookieOf(there) });
    expect(page.text).toBe('reached GET /deep?x=1');
    await stage.send('POST', '/logout', { headers: { ...gate, cookie, origin: publicUrl } });
    expect((await stage.get('/', { host: appHost, cookie: cookieOf(there) })).status).toBe(401);
  });

  test("is entered by who has the session's editor open", async () => {
    const ofEditor = cookieOf(await visit(await stage.link({ place: 'editor' })));
    const away = await visit(`https://${appHost}/`);
    const further = await visit(away.headers.location!);
    expect(further.headers.location).toContain(`https://${editorHost}/.fairlead/enter?`);
    const back = await visit(further.headers.location!, { cookie: ofEditor });
    expect(back.headers.location).toContain(`https://${appHost}/?fairlead-ticket=`);
    const there = await visit(back.headers.location!);
    expect((await visit(`https://${appHost}/`, { cookie: cookieOf(there) })).status).toBe(200);
    expect((await visit(further.headers.location!)).status).toBe(401);
  });

  test("is not open for longer than the editor's cookie by which it was entered", async () => {
    const ofEditor = cookieOf(await visit(await stage.link({ place: 'editor' })));
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 5 * hourMs);
      for (const place of ['vscode', '1']) {
        const errand = `https://${editorHost}/.fairlead/enter?place=${place}&to=/`;
        const back = await visit(errand, { cookie: ofEditor });
        const there = await visit(back.headers.location!);
        expect(maxAgeOf(there)).toBeGreaterThan(6.9 * 3600);
        expect(maxAgeOf(there)).toBeLessThanOrEqual(7 * 3600);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  test('of another tenant is not there, also at the end of that way', async () => {
    const { cookie = '' } = await cookieFor(stage.gateway, stage.other.headers);
    const away = await visit(`https://${appHost}/`);
    const back = await visit(away.headers.location!, { cookie });
    expect([back.status, back.headers.location]).toEqual([404, undefined]);
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example/'])(
    'is where %j leads',
    async (to) => {
      const query = new URLSearchParams({ place: '1', to });
      const url = `${publicUrl}/vscode/${stage.mine.session.id}/.fairlead/enter?${query}`;
      const { location = '' } = (await visit(url, stage.mine.headers)).headers;
      expect(new URL(location).origin).toBe(`https://${appHost}`);
      const ticket = await stage.link({ place: 'app', number: 1 });
      const answer = await stage.get(`//evil.example/${new URL(ticket).search}`, {
        ...navigation,
        host: appHost,
      });
      expect(answer.headers.location).toBe('/evil.example/');
      const moved = await stage.get(`${stage.app}/evil.example`, gate);
      expect(moved.headers.location).toBe(`https://${appHost}/evil.example`);
    },
  );

  test('is for pages of its own origin, and not of that of another session or of the gateway', async () => {
    const cookie = cookieOf(await visit(await stage.link({ place: 'app', number: 1 })));
    const foreign = [
      `https://${stage.other.session.id}-1.${domain}`,
      `https://${editorHost}`,
      publicUrl,
      `http://${appHost}`,
    ];
    for (const origin of foreign) {
      const headers = { cookie, origin, host: appHost };
      expect((await stage.send('POST', '/', { headers })).status).toBe(403);
      expect((await stage.gateway.watch('/', headers).refusal)?.status).toBe(403);
    }
    const headers = { cookie, host: appHost, origin: `https://${appHost}` };
    expect((await stage.send('POST', '/', { headers })).status).toBe(200);
    expect(await stage.gateway.watch('/', headers).refusal).toBeUndefined();
    const sibling = { cookie, host: appHost, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' };
    expect((await stage.get('/', sibling)).status).toBe(403);
  });
});

test('an editor is not shown inside the page of a session, and is inside others of the same site', async () => {
  const cookie = cookieOf(await visit(await stage.link({ place: 'editor' })));
  const framed = { cookie, 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-site' };
  const visitFrom = async (referer: string | undefined) =>
    (await visit(`https://${editorHost}/`, { ...framed, ...(referer !== undefined && { referer }) })).status;
  expect(await visitFrom(`https://${stage.other.session.id}-1.${domain}/`)).toBe(403);
  expect(await visitFrom(undefined)).toBe(403);
  expect(await visitFrom('https://openhands.fairlead.test/')).toBe(200);
});

test('without a public URL, a place is for pages that came without TLS', async () => {
  stage = await startStage({ domain: 'localhost' });
  const host = `${stage.mine.session.id}-1.localhost:${stage.gateway.server.port}`;
  const statusOf = async (origin: string) =>
    (await stage.get('/', { ...stage.mine.headers, host, origin })).status;
  expect([await statusOf(`http://${host}`), await statusOf(`https://${host}`)]).toEqual([200, 403]);
});

test('without a public URL, places have the port that the browser came by', async () => {
  stage = await startStage({ domain: 'localhost' });
  const { id } = stage.mine.session;
  const { port } = stage.gateway.server;
  const link = await stage.link({ place: 'app', number: 1 });
  expect(link).toContain(`http://${id}-1.localhost:${port}/?fairlead-ticket=`);
  const answer = await visit(link);
  expect(answer.headers['set-cookie']?.[0]).toMatch(/^fairlead-\w{20}=/);
  const away = await visit(`http://${id}-1.localhost:${port}/`);
  expect(away.headers.location).toContain(`http://localhost:${port}/vscode/${id}/.fairlead/enter?`);
});
