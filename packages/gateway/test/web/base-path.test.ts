import { io } from 'socket.io-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PlaceUrls } from '../../src/web/place-urls.ts';
import { connected } from '../fronts/support/test-gateway.ts';
import { cookieOf, pathOf, startStage } from './support/web-stage.ts';

describe.each([{ basePath: '/fairlead' }, { publicUrl: 'https://gate.example/fairlead/' }])(
  'with %j everything stands below it',
  (options) => {
    const base = '/fairlead';

    test('the API, its addresses, and nothing beside it', async () => {
      const { get, mine, gateway } = await startStage(options, base);
      const { id } = mine.session;
      const { status, json } = await get(`${base}/api/sessions/${id}`, mine.headers);
      const gatewayUrl = options.publicUrl?.slice(0, -1) ?? gateway.server.url;
      expect([status, json.url]).toEqual([200, `${gatewayUrl}/runtimes/${id}`]);
      expect(json.editorUrl).toBe(`${gatewayUrl}/vscode/${id}/`);
      expect(gateway.server.url).toBe(`http://127.0.0.1:${gateway.server.port}${base}`);
      for (const path of ['/api/me', `/apps/${id}-1/`, '/fairleadx/api/me', '/', base.slice(0, -1)]) {
        expect([path, (await get(path, mine.headers)).status]).toEqual([path, 404]);
      }
      expect((await gateway.watch(`/api/sessions/${id}/events`, mine.headers).refusal)?.status).toBe(404);
      const watcher = gateway.watch(`${base}/api/sessions/${id}/events`, mine.headers);
      expect(await watcher.refusal).toBeUndefined();
    });

    test('places, with their cookies and what their servers are told', async () => {
      const { go, link, app, gateway, reached } = await startStage(options, base);
      const answer = await go(pathOf(await link({ place: 'app', number: 1 })));
      expect([answer.status, answer.headers.location]).toEqual([303, app]);
      expect(answer.headers['set-cookie']?.[0]).toContain(`; Path=${app};`);
      const cookie = cookieOf(answer);
      expect((await go(`${app}x`, { cookie })).text).toBe('reached GET /x');
      expect(reached[0]!.headers['x-forwarded-prefix']).toBe(app.slice(0, -1));
      const origin = `http://127.0.0.1:${gateway.server.port}`;
      expect(await gateway.watch(app, { cookie, origin }).refusal).toBeUndefined();
    });

    test('the login, whose cookie others of the host do not get', async () => {
      const { send, get, mine } = await startStage(options, base);
      const { json } = await send('POST', `${base}/api/tickets`, { headers: mine.headers, body: {} });
      const answer = await get(`${base}/login?ticket=${json.ticket}`);
      expect([answer.status, answer.headers.location]).toEqual([303, `${base}/`]);
      expect(answer.headers['set-cookie']?.[0]).toContain(`; Path=${base}/;`);
      expect((await get(`${base}/api/me`, { cookie: cookieOf(answer) })).status).toBe(200);
    });

    test('Socket.IO', async () => {
      const { gateway, mine } = await startStage(options, base);
      const socket = io(`http://127.0.0.1:${gateway.server.port}/sessions`, {
        path: `${base}/socket.io/`,
        auth: { key: mine.sessionHeaders['x-session-api-key']! },
        transports: ['websocket'],
        reconnection: false,
        forceNew: true,
      });
      onTestFinished(() => void socket.disconnect());
      expect(await connected(socket)).toBe('connected');
    });
  },
);

test.each([
  [{ basePath: 'fairlead' }, 'Base path'],
  [{ basePath: '/a/../b' }, 'Base path'],
  [{ basePath: '/a', publicUrl: 'https://x/b' }, 'give one of them'],
  [{ domain: 'example.com:80' }, 'without a port'],
  [{ domain: '*.example.com' }, 'is not a name'],
])('%j is refused', (options, reason) => {
  expect(() => new PlaceUrls({ host: '127.0.0.1', ...options })).toThrow(reason);
});

test('an IPv6 address is written, and visited, as such', async () => {
  const { gateway, mine, app } = await startStage({ host: '::1' });
  expect(gateway.server.url).toBe(`http://[::1]:${gateway.server.port}`);
  const headers = mine.sessionHeaders;
  const { editorUrl } = (await (
    await fetch(`${gateway.server.url}/api/sessions/${mine.session.id}`, { headers })
  ).json()) as { editorUrl: string };
  expect(editorUrl).toBe(`${gateway.server.url}/vscode/${mine.session.id}/`);
  const answer = await fetch(gateway.server.url + app, { headers });
  expect(await answer.text()).toBe('reached GET /');
});
