import { beforeEach, describe, expect, test } from 'vitest';
import { factsOf } from '../windows/support/facts.ts';
import { openStream } from './support/open-stream.ts';
import { startTestGateway, type Tenant, type TestGateway } from './support/test-gateway.ts';
import { dialWindow, openWindow } from './support/test-window.ts';

let gateway: TestGateway;
let mine: Tenant;
let other: Tenant;

beforeEach(async () => {
  gateway = await startTestGateway();
  mine = await gateway.addTenant('mine');
  other = await gateway.addTenant('other');
});

const keyOf = ({ headers }: Tenant) => headers['authorization']!.slice('Bearer '.length);
const listOf = async ({ headers }: Tenant) =>
  (await gateway.call('GET', '/api/vscode/instances', { headers })).json;

async function pair({ headers }: Tenant): Promise<string> {
  return (await gateway.call('POST', '/api/vscode/pairings', { headers })).json.code;
}

describe('a window', () => {
  test("is let in with its owner's key, and is listed with what it says", async () => {
    const window = factsOf({ folders: ['/home/me/project', '/srv/data'] });
    const { welcome, socket } = await openWindow(gateway, { key: keyOf(mine), window });
    expect(welcome).toEqual({ gatewayId: 'test-gateway', owner: 'mine' });
    const [listed] = await listOf(mine);
    expect(listed).toMatchObject({
      connection_id: window.windowId,
      workspace_name: 'project',
      workspace_path: '/home/me/project',
      status: 'active',
      takes_sessions: true,
      folders: window.folders,
      sessions: [],
    });
    const shown = await gateway.call('GET', `/api/vscode/instance/${window.windowId}`, {
      headers: mine.headers,
    });
    expect(shown.json).toMatchObject({ connection_id: window.windowId });
    const stats = await gateway.call('GET', '/api/vscode/registry/stats', { headers: mine.headers });
    expect(stats.json).toEqual({ total_instances: 1, status_counts: { active: 1 }, sessions: 0 });
    const answer = await socket.emitWithAck('facts', { ...window, name: 'renamed' });
    expect(answer).toEqual({ ok: true });
    expect((await listOf(mine))[0].workspace_name).toBe('renamed');
    socket.disconnect();
    await expect.poll(() => listOf(mine)).toEqual([]);
  });

  test('does not exist for others, also under the same id', async () => {
    const window = factsOf({});
    const { closed } = await openWindow(gateway, { key: keyOf(mine), window });
    expect(await listOf(other)).toEqual([]);
    const { headers } = other;
    for (const [method, path] of [
      ['GET', 'instance'],
      ['DELETE', 'instance'],
      ['DELETE', 'unregister'],
      ['POST', 'heartbeat'],
    ] as const) {
      const answer = await gateway.call(method, `/api/vscode/${path}/${window.windowId}`, { headers });
      const nobodys = await gateway.call(method, `/api/vscode/${path}/nobody`, { headers });
      expect([answer.status, answer.text]).toEqual([404, nobodys.text]);
    }
    await openWindow(gateway, { key: keyOf(other), window });
    expect(await listOf(mine)).toHaveLength(1);
    expect(await listOf(other)).toHaveLength(1);
    expect(await Promise.race([closed, Promise.resolve('open')])).toBe('open');
  });

  test.each([
    ['no key', () => ({})],
    ['a key that is made up', () => ({ key: 'fl_aaaaaaaaaaaa_x' })],
    ['a window key that is made up', () => ({ key: `fw_aaaaaaaaaaaa_${'x'.repeat(43)}` })],
    ['a code that is made up', () => ({ code: 'made-up' })],
  ])('is not let in with %s', async (_what, proof) => {
    const dialled = await dialWindow(gateway, { ...proof(), window: factsOf({}) });
    expect(dialled).toMatchObject({ refusal: { status: 401 } });
    expect(gateway.windows.count).toBe(0);
  });

  test("is not let in with a session's key, another version, or facts that are wrong", async () => {
    const window = factsOf({});
    const key = mine.sessionHeaders['x-session-api-key']!;
    expect(await dialWindow(gateway, { key, window })).toMatchObject({ refusal: { status: 403 } });
    const old = await dialWindow(gateway, { key: keyOf(mine), window, protocolVersion: 2 });
    expect(old).toMatchObject({
      refusal: { status: 400, detail: expect.stringContaining('update the gateway') },
    });
    const wrong = await dialWindow(gateway, { key: keyOf(mine), window: { ...window, windowId: '../x' } });
    expect(wrong).toMatchObject({ refusal: { status: 422 } });
  });

  test('has no control characters in what is told of it', async () => {
    const name = 'evil\u001b[2J\nname';
    const { welcome } = await openWindow(gateway, { code: await pair(mine), window: factsOf({ name }) });
    expect(welcome.windowKey).toBeDefined();
    expect((await listOf(mine))[0].workspace_name).toBe('evil\uFFFD[2J\uFFFDname');
    const labels = (await gateway.store.keys.list(mine.owner.id)).map(({ label }) => label);
    expect(labels).toContain('window evil\uFFFD[2J\uFFFDname');
    expect(gateway.logged.join('')).not.toMatch(/\p{Cc}/u);
  });

  test('is in the audit log, with whose key it came', async () => {
    const window = factsOf({});
    await openWindow(gateway, { key: keyOf(mine), window });
    await dialWindow(gateway, { code: 'made-up', window });
    const lines = (await gateway.audited()).filter(({ path }) => path === `/windows/${window.windowId}`);
    expect(lines).toMatchObject([
      { decision: 'allow', by: 'api-key', owner: 'mine', keyId: mine.keyId },
      { decision: 'deny', reason: 'unknown' },
    ]);
  });

  test.each([
    ['text', 'not binary'],
    ['a frame of an unknown kind', Buffer.from([9, 0, 0, 0, 1])],
    ['a stream of its own', Buffer.from([0, 0, 0, 0, 1])],
  ])('that sends %s in place of its part of the tunnel is sent away', async (_what, frame) => {
    const { socket, refused, closed } = await openWindow(gateway, { key: keyOf(mine), window: factsOf({}) });
    socket.emit('stream', frame);
    expect(await refused).toContain('rules of the tunnel');
    await closed;
  });

  test('is told what is wrong with what it says, and stays', async () => {
    const { socket } = await openWindow(gateway, { key: keyOf(mine), window: factsOf({}) });
    const say = (name: string, message: unknown) => socket.emitWithAck(name, message);
    for (const name of ['facts', 'notice', 'leave-session', 'leave']) {
      expect(await say(name, { nonsense: true })).toMatchObject({ ok: false });
    }
    const time = new Date().toISOString();
    const notice = { type: 'change', change: 'saved', path: '/a', newPath: null };
    const message = { sessionId: mine.session.id, noticeId: 'n', time, notice };
    // It is the owner's, but not in this window.
    expect(await say('notice', message)).toMatchObject({ ok: false });
    expect(gateway.sessions.noticed).toEqual([]);
    expect(socket.connected).toBe(true);
  });

  test('that says very much at once is not heard for a while', async () => {
    const window = factsOf({});
    const { socket, closed } = await openWindow(gateway, { key: keyOf(mine), window });
    let heard = 0;
    for (let count = 0; count < 3_000; count += 1) socket.emit('facts', window, () => (heard += 1));
    // What follows them all tells when the last was looked at.
    socket.emit('stream', 'the end');
    await closed;
    expect(heard).toBeGreaterThanOrEqual(1_000);
    expect(heard).toBeLessThan(3_000);
  });
});

describe('pairing', () => {
  test('lets one window in, with a key for nothing else', async () => {
    const { json } = await gateway.call('POST', '/api/vscode/pairings', { headers: mine.headers });
    const url = `http://127.0.0.1:${gateway.server.port}`;
    const link = new URL(json.link);
    expect(link.protocol + link.host + link.pathname).toBe('vscode:fairlead.fairlead/connect');
    expect(Object.fromEntries(link.searchParams)).toEqual({ url, code: json.code });
    const window = factsOf({});
    const { welcome, socket } = await openWindow(gateway, { code: json.code, window });
    expect(welcome).toMatchObject({ owner: 'mine', windowKey: expect.stringMatching(/^fw_/) });
    expect(await dialWindow(gateway, { code: json.code, window })).toMatchObject({
      refusal: { status: 401 },
    });
    socket.disconnect();
    const key = welcome.windowKey!;
    expect((await openWindow(gateway, { key, window })).welcome.windowKey).toBeUndefined();
    for (const text of [key, key.replace(/^fw/, 'fl')]) {
      const headers = { authorization: `Bearer ${text}` };
      expect((await gateway.call('GET', '/api/me', { headers })).status).toBe(401);
    }
    const asWindowKey = keyOf(mine).replace(/^fl/, 'fw');
    expect(await dialWindow(gateway, { key: asWindowKey, window })).toMatchObject({
      refusal: { status: 401 },
    });
  });

  test('ends with the key that asked for it', async () => {
    const code = await pair(mine);
    await gateway.store.keys.revoke(mine.keyId, new Date().toISOString());
    expect(await dialWindow(gateway, { code, window: factsOf({}) })).toMatchObject({
      refusal: { status: 401 },
    });
  });

  test('is undone by forgetting the window, for all who use its key', async () => {
    const window = factsOf({});
    const first = await openWindow(gateway, { code: await pair(mine), window });
    const key = first.welcome.windowKey!;
    const second = await openWindow(gateway, { key, window: factsOf({}) });
    const path = `/api/vscode/instance/${window.windowId}`;
    expect((await gateway.call('DELETE', path, { headers: other.headers })).status).toBe(404);
    expect((await gateway.call('DELETE', path, { headers: mine.headers })).status).toBe(204);
    expect(await first.refused).toContain('pair it again');
    await Promise.all([first.closed, second.closed]);
    expect(await dialWindow(gateway, { key, window })).toMatchObject({ refusal: { status: 401 } });
    expect(await listOf(mine)).toEqual([]);
  });
});

describe('the list of windows', () => {
  test('tells each change live, of its owner alone', async () => {
    const stream = await openStream(gateway.server.port, '/api/vscode/instances', mine.headers);
    await openWindow(gateway, { key: keyOf(other), window: factsOf({}) });
    const window = factsOf({});
    const { socket } = await openWindow(gateway, { key: keyOf(mine), window });
    await stream.until((text) => text.includes('changed'));
    socket.disconnect();
    await stream.until((text) => text.includes('gone'));
    const events = stream.text.match(/^data: .*$/gm)!.map((line) => JSON.parse(line.slice('data: '.length)));
    expect(events).toMatchObject([
      { type: 'instances', instances: [] },
      { type: 'changed', instance: { connection_id: window.windowId } },
      { type: 'gone', connection_id: window.windowId },
    ]);
  });

  test('has those that registered by HTTP, which take no sessions', async () => {
    const { headers } = mine;
    const body = {
      workspace_path: '/w',
      workspace_name: 'w',
      vscode_version: '1.90',
      extension_version: '0.0.1',
      capabilities: ['file_operations'],
    };
    const registered = await gateway.call('POST', '/api/vscode/register', { headers, body });
    const id: string = registered.json.connection_id;
    expect(await listOf(mine)).toMatchObject([{ connection_id: id, ...body, takes_sessions: false }]);
    expect((await gateway.call('POST', `/api/vscode/heartbeat/${id}`, { headers })).status).toBe(200);
    const stranger = await gateway.call('POST', `/api/vscode/heartbeat/${id}`, { headers: other.headers });
    expect(stranger.status).toBe(404);
    expect(() => gateway.windows.choose(mine.owner.id, {})).toThrow('No VS Code window is connected');
    expect((await gateway.call('DELETE', `/api/vscode/unregister/${id}`, { headers })).status).toBe(200);
    expect(await listOf(mine)).toEqual([]);
    const incomplete = await gateway.call('POST', '/api/vscode/register', { headers, body: {} });
    expect(incomplete.status).toBe(422);
  });

  test('does not let a window that has dialled be unregistered', async () => {
    const window = factsOf({});
    await openWindow(gateway, { key: keyOf(mine), window });
    const path = `/api/vscode/unregister/${window.windowId}`;
    expect((await gateway.call('DELETE', path, { headers: mine.headers })).status).toBe(409);
  });
});
