import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cookieFor } from '../fronts/support/visitors.ts';
import { cookieOf, maxAgeOf, navigation, pathOf, type Stage, startStage } from './support/web-stage.ts';

const hourMs = 3_600_000;
const lifeSeconds = 12 * 3600;
let stage: Stage;

beforeEach(async () => {
  stage = await startStage();
});

afterEach(() => {
  vi.useRealTimers();
});

function afterHours(hours: number): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + hours * hourMs);
}

async function enter(link: Record<string, unknown>): Promise<string> {
  return cookieOf(await stage.go(pathOf(await stage.link(link))));
}

test.each(['app', 'vscode'] as const)(
  'a cookie for %s is renewed by use, when half its life is over',
  async (where) => {
    const cookie = await enter(where === 'app' ? { place: 'app', number: 1 } : { place: 'editor' });
    expect((await stage.go(stage[where], { cookie })).headers['set-cookie']).toBeUndefined();
    afterHours(7);
    // What may be kept for others on the way has no cookie.
    const file = await stage.get(`${stage[where]}file.js`, { cookie, 'sec-fetch-mode': 'no-cors' });
    expect([file.status, file.headers['set-cookie']]).toEqual([200, undefined]);
    const page = await stage.go(stage[where], { cookie });
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(page.headers['set-cookie']).toHaveLength(1);
    expect(page.headers['set-cookie']![0]).toContain(`; Path=${stage[where]}; HttpOnly; SameSite=Lax;`);
    expect(maxAgeOf(page)).toBe(lifeSeconds);
    afterHours(6);
    expect((await stage.go(stage[where], { cookie: cookieOf(page) })).status).toBe(200);
  },
);

test('a WebSocket renews it too, and stays while its key lasts', async () => {
  const cookie = await enter({ place: 'editor' });
  afterHours(11);
  const watcher = stage.gateway.watch(stage.vscode, { cookie, origin: stage.gateway.server.url });
  const given = new Promise<string[] | undefined>((resolve) => {
    watcher.socket.on('upgrade', ({ headers }) => resolve(headers['set-cookie']));
  });
  expect(await given).toEqual([expect.stringContaining(`Max-Age=${lifeSeconds}`)]);
  expect(await watcher.refusal).toBeUndefined();
  const shared = await enter({ place: 'app', number: 1, share: { expiresInSeconds: 3600 } });
  const guest = stage.gateway.watch(stage.app, { cookie: shared, origin: stage.gateway.server.url });
  expect(await guest.refusal).toBeUndefined();
  afterHours(2);
  // The same look around that ends the guest's leaves this.
  await guest.closed;
  watcher.socket.send('still here');
  await watcher.until(({ messages }) => messages.length > 0);
  await stage.gateway.store.keys.revoke(stage.mine.keyId, new Date().toISOString());
  await watcher.closed;
});

test('the cookie of a shared link is never renewed', async () => {
  const cookie = await enter({ place: 'app', number: 1, share: { expiresInSeconds: 24 * 3600 } });
  afterHours(11);
  const page = await stage.go(stage.app, { cookie });
  expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined]);
});

test('one that is renewed ends with its login all the same', async () => {
  const login = await cookieFor(stage.gateway, stage.mine.headers);
  const link = await stage.link({ place: 'app', number: 1 }, login);
  const cookie = cookieOf(await stage.go(pathOf(link)));
  afterHours(7);
  const renewed = cookieOf(await stage.go(stage.app, { cookie }));
  expect((await stage.get(stage.app, { cookie: renewed })).status).toBe(200);
  await stage.send('POST', '/logout', { headers: login });
  expect((await stage.get(stage.app, { ...navigation, cookie: renewed })).status).not.toBe(200);
});
