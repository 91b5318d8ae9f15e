import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreatedSession, Pairing, Session, WindowInstance } from '@fairlead/protocol';
import { describe, expect, it } from 'vitest';
import { WindowPeer } from '../gateway/support/window-peer.ts';
import { useServedGateway } from './support/gateway.ts';

describe('fairlead window', { timeout: 60_000 }, () => {
  const held = useServedGateway('--driver', 'window', '--window-grace', '5s');

  it('pairs a window, lists it, makes sessions in it, and forgets it', async () => {
    const { fairlead } = held;
    expect((await fairlead.run('window', 'list')).stderr).toContain('fairlead window pair');
    const none = await fairlead.run('session', 'create', '--window');
    expect(none.code).not.toBe(0);
    expect(none.stderr).toContain('No VS Code window is connected');
    const { url, code, link } = await fairlead.json<Pairing>('window', 'pair');
    expect(link).toMatch(/^vscode:\/\/fairlead\.fairlead\/connect\?url=http/);
    const peer = new WindowPeer();
    const { windowKey } = await peer.dial({ url, code });
    const [listed] = await fairlead.json<WindowInstance[]>('window', 'list');
    expect(listed).toMatchObject({ connection_id: peer.windowId, workspace_path: peer.workspace });

    const byFolder = await fairlead.json<CreatedSession>('session', 'create', '--window', peer.workspace);
    expect(byFolder.windowId).toBe(peer.windowId);
    const id = await fairlead.ask('session', 'create', '--window', '--label', 'agent=Ada');
    const state = ['--state-dir', fairlead.stateDir];
    const ran = await fairlead.run('run', id, ...state, '--', 'echo here > file; pwd');
    expect(ran).toMatchObject({ code: 0, stdout: `${peer.workspace}\n` });
    expect(readFileSync(join(peer.workspace, 'file'), 'utf8')).toBe('here\n');
    const time = new Date().toISOString();
    const notice = { type: 'change', change: 'saved', path: '/a/b', newPath: null } as const;
    await peer.line.emitWithAck('notice', { sessionId: id, noticeId: 'n', time, notice });
    expect(await fairlead.ask('logs', id)).toContain('the user saved /a/b');
    expect(await fairlead.ask('window', 'list')).toMatch(new RegExp(`^${peer.windowId} .* Ada$`, 'm'));
    expect(await fairlead.ask('session', 'list')).toContain(`window ${peer.windowId}`);

    expect(await fairlead.ask('window', 'forget', peer.windowId)).toBe(`${peer.windowId} forgotten`);
    expect(await fairlead.json<WindowInstance[]>('window', 'list')).toEqual([]);
    expect(await fairlead.json<Session>('session', 'show', id)).toMatchObject({ state: 'stopped' });
    await expect(peer.dial({ url, key: windowKey! })).rejects.toMatchObject({ data: { status: 401 } });
    const again = await fairlead.run('window', 'forget', peer.windowId);
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('not connected')]);
  });
});
