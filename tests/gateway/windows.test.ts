import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from './support/wait.ts';
import { WindowPeer } from './support/window-peer.ts';
import { patient, setWindowStage } from './support/window-stage.ts';

describe('a session in a window', patient, () => {
  test('runs where the window is', async () => {
    const { owner, peer } = await setWindowStage();
    const session = await owner.create({ window: {}, env: { GREETING: 'hello' }, labels: { agent: 'Ada' } });
    expect(session).toMatchObject({ driver: 'window', windowId: peer.windowId, state: 'running', apps: [] });
    expect(peer.opened).toMatchObject([
      { sessionId: session.id, agent: 'Ada', owner: 'operator', folder: null },
    ]);
    const ran = await owner.run(session.id, 'pwd; echo $GREETING; false');
    expect(ran).toMatchObject({ status: 200, observation: 'run', exitCode: 1 });
    expect(ran.content).toContain(`${peer.workspace}\nhello`);
  });

  test('speaks the V0 contract with its own key: files, lists, downloads', async () => {
    const { owner, peer } = await setWindowStage();
    const session = await owner.create({ window: {} });
    const agent = owner.with(session.key);
    writeFileSync(join(peer.workspace, 'a.txt'), 'x'.repeat(1_000_000));
    const base = `/runtimes/${session.id}`;
    expect((await agent.call('GET', `${base}/alive`)).json).toEqual({ status: 'ok' });
    const listed = await agent.call('POST', `${base}/list_files`, { path: peer.workspace });
    expect(JSON.parse(listed.text)).toEqual(['a.txt']);
    const read = await agent.act(session.id, {
      action: 'read',
      args: { path: join(peer.workspace, 'a.txt') },
    });
    expect(read.text.length).toBeGreaterThan(1_000_000);
    const args = { path: join(peer.workspace, 'b.txt'), content: 'written' };
    await agent.act(session.id, { action: 'write', args });
    expect(readFileSync(args.path, 'utf8').trim()).toBe('written');
    const zip = await agent.call('GET', `${base}/download_files?path=${peer.workspace}`);
    expect([zip.status, zip.text.slice(0, 2)]).toEqual([200, 'PK']);
  });

  test('tells its output live, and can be cancelled', async () => {
    const { owner } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    const watcher = await owner.watch(id, 0).live();
    const running = owner.run(id, 'echo now; sleep 60', { actionId: 'long' });
    await watcher.until(() => watcher.output('long').includes('now'), 'the first output');
    await owner.call('POST', `/runtimes/${id}/actions/long/cancel`);
    expect((await running).exitCode).toBe(130);
    await watcher.observed('long');
    watcher.socket.close();
  });

  test('is one of many in a window, each with its own shell', async () => {
    const { owner, peer } = await setWindowStage();
    const one = await owner.create({ window: {} });
    const two = await owner.create({ window: { id: peer.windowId } });
    await owner.run(one.id, 'cd / && export NAME=one');
    expect((await owner.run(two.id, 'echo "[$NAME]"; pwd')).content).toContain(`[]\n${peer.workspace}`);
    const { json } = await owner.call('GET', `/api/vscode/instance/${peer.windowId}`);
    expect(json['sessions']).toEqual([
      { id: one.id, agent: one.id.slice(0, 4) },
      { id: two.id, agent: two.id.slice(0, 4) },
    ]);
  });

  test('begins in the folder that it was created for', async () => {
    const { owner, peer } = await setWindowStage();
    const folder = join(peer.workspace, 'below');
    const first = await owner.create({ window: { folder: peer.workspace } });
    await owner.run(first.id, 'mkdir below');
    const { id } = await owner.create({ window: { folder } });
    expect((await owner.run(id, 'pwd')).content).toContain(folder);
    const byName = await owner.create({ window: { folder: peer.name } });
    expect((await owner.run(byName.id, 'pwd')).content).toContain(peer.workspace);
  });

  test('is not created without a window, and says which there are when there are several', async () => {
    const { owner, peer, dial } = await setWindowStage();
    const other = new WindowPeer();
    await dial(other);
    const several = await owner.tryCreate({ window: {} });
    expect(several.status).toBe(400);
    for (const each of [peer, other]) expect(several.text).toContain(`(${each.workspace}) ${each.windowId}`);
    expect((await owner.create({ window: { folder: other.workspace } })).windowId).toBe(other.windowId);
    const unknown = await owner.tryCreate({ window: { folder: '/nowhere' } });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('has /nowhere open')]);
    peer.drop();
    other.drop();
    await until(
      async () => (await owner.call('GET', '/api/vscode/instances')).text === '[]',
      'both to be gone',
    );
    const none = await owner.tryCreate({ driver: 'window' });
    expect(none.status).toBe(409);
    expect(none.text).toContain('Connect This Window');
    expect(none.text).toContain('fairlead window pair');
    expect(await owner.sessions()).toHaveLength(1);
  });

  test('is not created when the window does not take it, and leaves nothing', async () => {
    const { owner, peer } = await setWindowStage();
    peer.refusal = 'the user said no';
    const answer = await owner.tryCreate({ window: {} });
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('the user said no')]);
    expect(await owner.sessions()).toEqual([]);
  });

  test('has nothing that only a sandbox has, and says so', async () => {
    const { owner } = await setWindowStage();
    for (const request of [
      { window: {}, workspace: { kind: 'folder' as const, path: '/tmp' } },
      { window: {}, limits: { cpus: 1 } },
      { window: {}, image: 'debian' },
      { window: {}, driver: 'local' as const },
    ]) {
      expect((await owner.tryCreate(request)).status).toBe(400);
    }
    const { id } = await owner.create({ window: {} });
    const paused = await owner.call('POST', `/api/sessions/${id}/pause`);
    expect([paused.status, paused.text]).toEqual([409, expect.stringContaining('stop it instead')]);
    expect((await owner.call('GET', `/api/sessions/${id}/ports`)).json).toEqual({ ports: [] });
    const token = await owner.call('GET', `/runtimes/${id}/vscode/connection_token`);
    expect(token.json).toEqual({ token: null });
    const editor = await owner.call('GET', `/vscode/${id}/`, undefined, { accept: 'text/html' });
    expect(editor.text).toContain('own VS Code window');
    expect((await owner.session(id)).state).toBe('running');
  });

  test('is closed in the window when it is stopped, and goes on there', async () => {
    const { owner, peer } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    expect((await owner.change(id, 'stop')).state).toBe('stopped');
    expect(peer.closed).toEqual([{ sessionId: id, reason: 'stopped by its owner' }]);
    expect((await owner.change(id, 'resume')).state).toBe('running');
    expect((await owner.run(id, 'echo again')).content).toContain('again');
    await owner.remove(id);
    expect(peer.closed).toHaveLength(2);
  });

  test('is stopped when it is idle', async () => {
    const { owner, peer } = await setWindowStage();
    const { id } = await owner.create({ window: {}, idleTimeoutSeconds: 0.2 });
    await until(async () => (await owner.session(id)).state === 'stopped', 'it to be idle');
    expect(peer.closed).toMatchObject([{ sessionId: id, reason: expect.stringContaining('idle') as string }]);
  });

  test('is started by an OpenHands client that names a window as its image', async () => {
    const { owner, peer } = await setWindowStage();
    const start = (session: string, image?: string) =>
      owner.call('POST', '/start', { session_id: session, image, environment: {}, resource_factor: 2 });
    const byImage = await start('one', `fairlead/window:${peer.windowId}`);
    expect([byImage.status, byImage.json['status']]).toEqual([201, 'running']);
    const id = String(byImage.json['runtime_id']);
    expect((await owner.runV0(id, 'pwd', { key: 'pwd' })).content).toContain(peer.workspace);
    expect((await start('two', `fairlead/window:${peer.name}`)).status).toBe(201);
    expect((await start('three', 'ghcr.io/openhands/runtime:1')).status).toBe(201);
    expect((await start('four', 'fairlead/window:another')).status).toBe(400);
    expect(peer.opened.map(({ agent }) => agent)).toEqual(['OpenHands', 'OpenHands', 'OpenHands']);
  });

  test('has what the user does in the window in its journal, each once', async () => {
    const { owner, peer } = await setWindowStage();
    const { id } = await owner.create({ window: {} });
    const watcher = await owner.watch(id, 0).live();
    const change = { type: 'change', change: 'renamed', path: '/a', newPath: '/b' } as const;
    const approval = {
      type: 'approval',
      actionId: 'x',
      state: 'rejected',
      capability: 'run',
      reason: 'not today',
    } as const;
    expect(await peer.notice(id, 'n1', change)).toEqual({ ok: true });
    expect(await peer.notice(id, 'n1', change)).toEqual({ ok: true });
    expect(await peer.notice(id, 'n2', approval)).toEqual({ ok: true });
    await watcher.until(() => watcher.of('approval').length > 0, 'the approval');
    expect(watcher.of('change')).toMatchObject([change]);
    expect(watcher.of('approval')).toMatchObject([approval]);
    expect((await owner.journal(id)).map(({ type }) => type)).toEqual([
      'state',
      'state',
      'change',
      'approval',
    ]);
    const stranger = await peer.notice(`z${'0'.repeat(19)}`, 'n3', change);
    expect(stranger).toMatchObject({ ok: false });
    watcher.socket.close();
  });
});
