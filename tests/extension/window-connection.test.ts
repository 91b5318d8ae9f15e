import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectGivenUp } from '../../packages/extension/src/connection/window-connection.ts';
import type { Caller } from '../gateway/support/caller.ts';
import { Place } from '../gateway/support/place.ts';
import { until } from '../gateway/support/wait.ts';
import { patient } from '../gateway/support/window-stage.ts';
import { freePort } from '../support/free-port.ts';
import { ExtensionWindow } from './support/extension-window.ts';

describe('the extension and a gateway', patient, () => {
  test('connect by key, and an agent runs commands and moves files there', async () => {
    const { owner } = await startGateway();
    const window = new ExtensionWindow();
    await window.connection.connect(owner.url, { key: owner.key });
    expect(window.connection.state).toEqual({ kind: 'connected', url: owner.url, owner: 'operator' });
    expect(window.savedKeys).toEqual([{ url: owner.url, key: owner.key }]);
    const { id } = await owner.create({ window: {}, labels: { agent: 'Ada' } });
    expect(window.sessions.agents()).toEqual([{ sessionId: id, name: 'Ada', owner: 'operator' }]);
    const ran = await owner.run(id, 'pwd; echo text >made');
    expect(ran).toMatchObject({ content: window.folder, exitCode: 0 });
    expect(readFileSync(join(window.folder, 'made'), 'utf8')).toBe('text\n');
  });

  test('pair with a code, and from then on the window has a key of its own', async () => {
    const { owner } = await startGateway();
    const { json } = await owner.call('POST', '/api/vscode/pairings');
    const window = new ExtensionWindow();
    await window.connection.connect(owner.url, { code: String(json['code']) });
    const [saved] = window.savedKeys;
    expect(saved?.key).toMatch(/^fw_/);
    await window.connection.disconnect('the user disconnected');
    await window.connection.connect(owner.url, { key: saved!.key });
    expect(window.connection.state.kind).toBe('connected');
    const again = new ExtensionWindow();
    await expect(again.connection.connect(owner.url, { code: String(json['code']) })).rejects.toThrow(
      /refused/,
    );
  });

  test('a wrong key is refused in words, and is not tried again', async () => {
    const { owner } = await startGateway();
    const window = new ExtensionWindow();
    const connecting = window.connection.connect(owner.url, { key: `${owner.key}x` });
    await expect(connecting).rejects.toMatchObject({
      isRefusal: true,
      message: expect.stringContaining(owner.url),
    });
    expect(window.connection.state).toEqual({ kind: 'off' });
  });

  test('a gateway that is not there is said so at once, or waited for if that is wanted', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const window = new ExtensionWindow();
    await expect(window.connection.connect(url, { key: 'fl_a_b' })).rejects.toMatchObject({
      isRefusal: false,
      message: expect.stringMatching(/Cannot reach .*ECONNREFUSED/),
    });
    expect(window.connection.state).toEqual({ kind: 'off' });

    const place = usePlaceHere();
    const { owner } = await place.start({ defaultDriver: 'window' });
    await place.closeAll();
    const waiting = window.connection.connect(url, { key: owner.key }, { keepsTrying: true });
    await until(() => window.connection.state.kind === 'lost', 'the first attempt to fail');
    await place.start({ defaultDriver: 'window', port });
    await waiting;
    expect(window.connection.state.kind).toBe('connected');
  });

  test('"disconnect" ends what runs at once, and the agent gets to know why', async () => {
    const { owner } = await startGateway();
    const { window, id } = await connectWithSession(owner);
    const running = owner.run(id, 'echo $$ >pid; trap "" INT; sleep 1000');
    const pid = await until(() => readPid(window), 'the command');
    await window.connection.disconnect('The user disconnected the window');
    expect(isRunning(pid)).toBe(false);
    await untilGone(owner);
    expect(await running).toMatchObject({
      observation: 'error',
      content: expect.stringContaining('The user disconnected the window'),
    });
    expect(window.sessions.agents()).toEqual([]);
  });

  test('the user ends one agent, and the others go on', async () => {
    const { owner } = await startGateway();
    const { window, id } = await connectWithSession(owner);
    const other = await owner.create({ window: {} });
    await window.connection.endSession(id, 'The user ended the session');
    await until(async () => (await owner.session(id)).state === 'stopped', 'the end of the session');
    expect((await owner.session(id)).reason).toContain('The user ended the session');
    expect((await owner.run(other.id, 'echo here')).content).toBe('here');
  });

  test('a gateway that is killed and started again finds the window and its running command', async () => {
    const place = usePlaceHere();
    const port = await freePort();
    const first = await place.spawn({ defaultDriver: 'window', port });
    const { window, id } = await connectWithSession(first.owner);
    const command = 'echo begun >>ran; until [[ -e go ]]; do sleep 0.05; done; echo over';
    const lost = first.owner.run(id, command, { key: 'k' }).catch(() => 'lost');
    await until(() => existsSync(join(window.folder, 'ran')), 'the command');
    await first.kill();
    expect(await lost).toBe('lost');
    const second = await place.spawn({ defaultDriver: 'window', port });
    const again = second.owner.run(id, command, { key: 'k' });
    await second.owner.run(id, 'touch go', { shell: 'other' });
    expect(await again).toMatchObject({ content: 'over', exitCode: 0 });
    expect(readFileSync(join(window.folder, 'ran'), 'utf8')).toBe('begun\n');
  });

  test('a window that is loaded anew goes on with its session, and tells what became of the command', async () => {
    const { owner } = await startGateway();
    const { window, id } = await connectWithSession(owner);
    const running = owner.run(id, 'echo $$ >pid; sleep 1000');
    const pid = await until(() => readPid(window), 'the command');
    await window.connection.suspend();
    expect(isRunning(pid)).toBe(false);
    await untilGone(owner);
    const reloaded = new ExtensionWindow(window);
    await reloaded.connection.connect(owner.url, { key: owner.key });
    expect((await running).exitCode).not.toBe(0);
    expect((await owner.run(id, 'echo here')).content).toBe('here');
  });

  test('the same window elsewhere takes over, and the one before lets go', async () => {
    const { owner } = await startGateway();
    const { window, id } = await connectWithSession(owner);
    await owner.run(id, 'echo here');
    const elsewhere = new ExtensionWindow(window);
    await elsewhere.connection.connect(owner.url, { key: owner.key });
    await until(() => window.refusals.length > 0, 'the word to the window before');
    expect(window.connection.state).toEqual({ kind: 'off' });
    expect((await owner.run(id, 'echo there')).content).toBe('there');
    expect(elsewhere.sessions.agents()).toHaveLength(1);
  });

  test('what waited for the user when the same window took over elsewhere is allowed there only, and runs once', async () => {
    const { owner } = await startGateway();
    const { window, id } = await connectWithSession(owner);
    window.setting = 'ask';
    const ran = owner.run(id, 'echo once >>ran; cat ran');
    const before = await until(() => window.desk.list()[0], 'the question');
    const elsewhere = new ExtensionWindow(window);
    elsewhere.setting = 'ask';
    await elsewhere.connection.connect(owner.url, { key: owner.key });
    await until(() => window.refusals.length > 0, 'the word to the window before');
    expect(window.desk.list()).toEqual([]);
    expect(window.desk.answer(before.id, { kind: 'accept' })).toBe(false);
    const there = await until(() => elsewhere.desk.list()[0], 'the question elsewhere');
    elsewhere.desk.answer(there.id, { kind: 'accept' });
    expect(await ran).toMatchObject({ content: 'once', exitCode: 0 });
    expect(readFileSync(join(window.folder, 'ran'), 'utf8')).toBe('once\n');
  });

  test('a session that the user ends while the gateway is away stays ended', async () => {
    const { place, port, owner } = await startGatewayAtPort();
    const { window, id } = await connectWithSession(owner);
    await place.closeAll();
    await until(() => window.connection.state.kind === 'lost', 'the loss of the connection');
    await window.connection.endSession(id, 'The user ended the session of Ada');
    const again = await place.start({ defaultDriver: 'window', port });
    await until(async () => (await again.owner.session(id)).state === 'stopped', 'the end of the session');
    expect((await again.owner.session(id)).reason).toContain('The user ended the session of Ada');
    expect(window.sessions.agents()).toEqual([]);
    await until(() => isEmpty(window.keptEnded.get()), 'the word that the gateway knows');
  });

  test('"disconnect" while the gateway is away ends the sessions when the window is next connected', async () => {
    const { place, port, owner } = await startGatewayAtPort();
    const { window, id } = await connectWithSession(owner);
    await place.closeAll();
    await until(() => window.connection.state.kind === 'lost', 'the loss of the connection');
    await window.connection.disconnect('The user disconnected the window');
    const again = await place.start({ defaultDriver: 'window', port });
    const later = new ExtensionWindow(window);
    await later.connection.connect(owner.url, { key: owner.key });
    await until(async () => (await again.owner.session(id)).state === 'stopped', 'the end of the session');
    expect((await again.owner.session(id)).reason).toContain('The user disconnected the window');
    expect(later.sessions.agents()).toEqual([]);
    await until(() => isEmpty(later.keptEnded.get()), 'the word that the gateway knows');
  });

  test('of several wishes to connect the last one counts, and the others are told so', async () => {
    const { owner } = await startGateway();
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const window = new ExtensionWindow();
    const { connection } = window;
    const first = connection.connect(nobody, { key: 'fl_a_b' }, { keepsTrying: true });
    const second = connection.connect(owner.url, { key: owner.key });
    const third = connection.connect(owner.url, { key: owner.key });
    const told = await Promise.allSettled([first, second, third]);
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(told[0]).toMatchObject({ reason: expect.any(ConnectGivenUp) });
    expect(connection.state).toMatchObject({ kind: 'connected', url: owner.url });
    const { id } = await owner.create({ window: {} });
    expect((await owner.run(id, 'echo here')).content).toBe('here');
    await connection.disconnect('the user disconnected');
    expect(connection.state).toEqual({ kind: 'off' });
  });

  test('who disconnects gives up the attempt to connect', async () => {
    const window = new ExtensionWindow();
    const url = `http://127.0.0.1:${await freePort()}`;
    const connecting = window.connection.connect(url, { key: 'fl_a_b' }, { keepsTrying: true });
    const told = expect(connecting).rejects.toBeInstanceOf(ConnectGivenUp);
    await until(() => window.connection.state.kind === 'lost', 'the first attempt to fail');
    await window.connection.disconnect('The user disconnected the window');
    await told;
    expect(window.connection.state).toEqual({ kind: 'off' });
  });

  test('what happens beside actions is in the journal once, also when the gateway was away', async () => {
    const place = usePlaceHere();
    const port = await freePort();
    const first = await place.spawn({ defaultDriver: 'window', port });
    const { window, id } = await connectWithSession(first.owner);
    const [agent] = window.sessions.agents();
    await first.kill();
    await until(() => window.connection.state.kind === 'lost', 'the loss of the connection');
    window.notices.send(agent!, { type: 'change', change: 'saved', path: '/a.txt', newPath: null });
    const second = await place.spawn({ defaultDriver: 'window', port });
    const changes = async () =>
      (await second.owner.journal(id)).filter(({ type }) => (type as string) === 'change');
    await until(async () => (await changes()).length > 0, 'the notice');
    expect(await changes()).toMatchObject([{ change: 'saved', path: '/a.txt' }]);
  });
});

function usePlaceHere(): Place {
  const place = new Place();
  onTestFinished(() => place.end());
  return place;
}

async function startGateway(): Promise<{ owner: Caller }> {
  return usePlaceHere().start({ defaultDriver: 'window' });
}

async function startGatewayAtPort(): Promise<{ place: Place; port: number; owner: Caller }> {
  const place = usePlaceHere();
  const port = await freePort();
  const { owner } = await place.start({ defaultDriver: 'window', port });
  return { place, port, owner };
}

async function connectWithSession(owner: Caller): Promise<{ window: ExtensionWindow; id: string }> {
  const window = new ExtensionWindow();
  await window.connection.connect(owner.url, { key: owner.key });
  const { id } = await owner.create({ window: {} });
  return { window, id };
}

function readPid(window: ExtensionWindow): string | undefined {
  const file = join(window.folder, 'pid');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined;
}

/** From the list of windows, within seconds. */
async function untilGone(owner: Caller): Promise<void> {
  const isGone = async () => (await owner.call('GET', '/api/vscode/instances')).text === '[]';
  await until(isGone, 'the window to be gone', 5_000);
}

/** One that is dead and not yet waited for by its parent does not run. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}
