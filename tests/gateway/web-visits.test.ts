import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { Browser, opened } from './support/browser.ts';
import type { Caller } from './support/caller.ts';
import { needs } from './support/needs.ts';
import { usePlace } from './support/place.ts';
import { startTalkingApp } from './support/talking-app.ts';

const modes = [
  { mode: 'as paths', options: {} },
  { mode: 'below a path', options: { basePath: '/fairlead' } },
  { mode: 'with hosts of their own', options: { domain: 'localhost' } },
  {
    mode: 'with hosts of their own, and the gateway below a path',
    options: { domain: 'localhost', basePath: '/f' },
  },
];

describe.each(modes)('the apps of sessions $mode', needs, ({ options }) => {
  const place = usePlace();
  let owner: Caller;
  let port: number;
  let id: string;
  let app: URL;
  beforeAll(async () => {
    const started = await place.start(options);
    ({ owner } = started);
    ({ port } = started.gateway);
    const session = await owner.create();
    ({ id } = session);
    app = new URL(session.apps[0]!.url);
    await startTalkingApp(owner, id, place.workspaceOf(id));
  }, needs.timeout);

  async function link(body: Record<string, unknown> = { place: 'app', number: 1 }): Promise<string> {
    const { status, json, text } = await owner.call('POST', `/api/sessions/${id}/links`, body);
    expect([status, text]).toEqual([201, expect.any(String)]);
    return json['url'] as string;
  }

  test('are opened by a link, and pages, events and sockets pass', async () => {
    const browser = new Browser(port);
    expect((await browser.go(app.href)).status).toBe(401);
    const first = await browser.go(await link());
    expect([first.status, first.url]).toEqual([200, app.href]);
    const { path, headers } = JSON.parse((await browser.go(new URL('a//b?c=%20', app).href)).body) as {
      path: string;
      headers: Record<string, string>;
    };
    expect(path).toBe('/a//b?c=%20');
    expect(headers).toMatchObject({ cookie: 'own=1', 'x-forwarded-host': app.host });
    expect(headers['x-forwarded-prefix'] ?? '').toBe(app.pathname.slice(0, -1));

    const events = await browser.open(new URL('events', app));
    const [piece] = (await once(events, 'data')) as [Buffer];
    expect(String(piece)).toContain('data: 1');
    events.destroy();

    const socket = browser.connect(new URL('socket', app));
    expect(await opened(socket)).toBe('open');
    socket.send('hello');
    expect(String(((await once(socket, 'message')) as [Buffer])[0])).toBe('hello');
    expect(await opened(browser.connect(new URL('socket', app), 'http://evil.example'))).toBe(403);
    socket.terminate();
  });

  test('are shared one by one', async () => {
    const browser = new Browser(port);
    const shared = await link({ place: 'app', number: 1, share: { expiresInSeconds: 60 } });
    expect((await browser.go(shared)).status).toBe(200);
    expect((await browser.go((await owner.session(id)).apps[1]!.url)).status).toBe(401);
    expect((await browser.go((await owner.session(id)).editorUrl)).status).toBe(401);
  });

  test('are not there for another tenant', async () => {
    const tenantKey = await place.addTenant(`tenant ${id}`);
    const tenant = owner.with(tenantKey);
    const visited = await new Browser(port).open(app, { authorization: `Bearer ${tenantKey}` });
    expect(visited.statusCode).toBe(404);
    visited.resume();
    expect((await tenant.call('POST', `/api/sessions/${id}/links`, { place: 'editor' })).status).toBe(404);
    const theirs = await tenant.create();
    const answer = await tenant.call('POST', `/api/sessions/${theirs.id}/links`, { place: 'app', number: 1 });
    const { search } = new URL(answer.json['url'] as string);
    expect((await new Browser(port).go(app.href + search)).status).toBe(401);
  });
});

describe('a gateway that is started again', needs, () => {
  const place = usePlace();

  /** By a name that stays whatever the port. */
  function named(url: string): string {
    const { pathname, search } = new URL(url);
    return `http://localhost${pathname}${search}`;
  }

  test('knows the browsers of before, and not the links that were handed out', async () => {
    const killed = await place.spawn();
    const { id, apps } = await killed.owner.create();
    await startTalkingApp(killed.owner, id, place.workspaceOf(id));
    const app = named(apps[0]!.url);
    const link = async () => {
      const { json } = await killed.owner.call('POST', `/api/sessions/${id}/links`, {
        place: 'app',
        number: 1,
      });
      return named(json['url'] as string);
    };
    const [used, unused] = [await link(), await link()];
    const browser = new Browser(Number(new URL(apps[0]!.url).port));
    expect((await browser.go(used)).status).toBe(200);
    const socket = browser.connect(new URL(app));
    expect(await opened(socket)).toBe('open');
    const closed = once(socket, 'close');
    await killed.kill();
    await closed;

    const { gateway } = await place.start();
    browser.port = gateway.port;
    expect((await browser.go(app)).status).toBe(200);
    const again = browser.connect(new URL(app));
    expect(await opened(again)).toBe('open');
    again.terminate();
    for (const old of [used, unused]) expect((await new Browser(gateway.port).go(old)).status).toBe(401);
  });
});

describe('a session that is paused', needs, () => {
  const place = usePlace();

  test('says so to a browser, and goes on from there', async () => {
    const { owner, gateway } = await place.start();
    const { id, apps } = await owner.create();
    await startTalkingApp(owner, id, place.workspaceOf(id));
    const { json } = await owner.call('POST', `/api/sessions/${id}/links`, { place: 'app', number: 1 });
    const browser = new Browser(gateway.port);
    const app = new URL(apps[0]!.url);
    await browser.go(json['url'] as string);
    await owner.change(id, 'pause');
    const page = await browser.go(app.href);
    expect([page.status, page.body]).toEqual([503, expect.stringContaining('This session is paused')]);
    const resume = new URL('.fairlead/resume', app);
    expect((await browser.open(resume, { origin: 'http://evil.example' }, 'POST')).statusCode).toBe(403);
    expect((await browser.open(resume, { origin: app.origin }, 'POST')).statusCode).toBe(303);
    expect((await browser.go(app.href)).status).toBe(200);
  });
});
