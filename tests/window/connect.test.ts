import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { until } from '../gateway/support/wait.ts';
import { findInstance, listInstances, untilGone } from './support/instances.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** Each test goes on where the one before it left the window. */
describe('connecting a window', windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
  let owner: Caller;
  let window: VscodeWindow;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ until: 'suite' });
  }, windowNeeds.timeout);

  test('nothing is connected, nor even loaded, until somebody wants it', async () => {
    await untilActive();
    expect(await loadedParts()).toEqual(['extension.cjs']);
    expect(await listInstances(owner)).toEqual([]);
  });

  test('a command connects it, with the address of a gateway and a key', async () => {
    await window.runCommand('Fairlead: Connect This Window');
    await window.answerInput(owner.url, 'Which gateway?');
    await window.answerInput(owner.key, 'The key');
    const version = await window.evaluate((vscode) => vscode.version);
    expect(await window.connected(owner)).toMatchObject({
      workspace_name: basename(window.path),
      workspace_path: window.path,
      vscode_version: version,
      takes_sessions: true,
      is_trusted: true,
      sessions: [],
    });
    await owner.create({ driver: 'window', labels: { agent: 'Ada' } });
    await window.statusBar('Ada').waitFor();
    expect(await findInstance(owner, window.path)).toMatchObject({ sessions: [{ agent: 'Ada' }] });
  });

  test('a window that is loaded anew is the same one, and has its session still', async () => {
    const before = (await findInstance(owner, window.path))!;
    const { id } = await onlySession();
    await window.reload();
    expect((await window.connected(owner)).connection_id).toBe(before.connection_id);
    expect(await owner.run(id, 'pwd')).toMatchObject({ content: window.path, exitCode: 0 });
  });

  test('"Disconnect" ends at once what runs, the session and the place in the list', async () => {
    const { id } = await onlySession();
    const running = owner.run(id, 'echo $$ >pid; sleep 1000', { timeout: 600 });
    const shell = await until(() => readNumber(join(window.path, 'pid')), 'the command', 30_000);
    await window.runCommand('Fairlead: Disconnect This Window');
    const { observation, content } = await running;
    expect(observation).toBe('error');
    expect(content).toMatch(/disconnected/);
    await untilGone(owner, window.path);
    await until(() => !existsSync(`/proc/${shell}`), 'the shell to end');
    expect(await owner.session(id)).toMatchObject({
      state: 'stopped',
      reason: expect.stringMatching(/disconnected/),
    });
  });

  test('a window that was disconnected stays so when it is loaded anew', async () => {
    await window.reload();
    await untilActive();
    expect(await loadedParts()).toEqual(['extension.cjs']);
    expect(await listInstances(owner)).toEqual([]);
  });

  test('a link for pairing connects it by being pasted, without a key, and once', async () => {
    await window.runCommand('Fairlead: Forget the Gateway and Its Key');
    await window.notified('has forgotten');
    const link = await pairingLink();
    await window.runCommand('Fairlead: Connect This Window');
    await window.answerInput(link, 'Which gateway?');
    await window.connected(owner);
    await window.runCommand('Fairlead: Disconnect This Window');
    await untilGone(owner, window.path);

    await window.runCommand('Fairlead: Sign In to a Gateway');
    await window.answerInput(link, 'Which gateway?');
    await window.notified(/refused/);
    expect(await listInstances(owner)).toEqual([]);
    await window.clickNotification(/refused/, 'Sign In');
    await window.answerInput(await pairingLink(), 'Which gateway?');
    await window.connected(owner);
    await window.runCommand('Fairlead: Disconnect This Window');
    await untilGone(owner, window.path);
  });

  test('the key that a pairing leaves connects it from then on', async () => {
    await window.runCommand('Fairlead: Connect This Window');
    await window.connected(owner);
    await window.runCommand('Fairlead: Disconnect This Window');
    await untilGone(owner, window.path);
  });

  test('a link that VS Code is opened with connects it when the person agrees', async () => {
    const link = await pairingLink();
    await openUri(link);
    await window.dialog.filter({ hasText: owner.url }).waitFor();
    await window.clickDialog('Cancel');
    expect(await listInstances(owner)).toEqual([]);
    await openUri(link);
    await window.clickDialog('Connect');
    await window.connected(owner);
  });

  test('a workspace connects by itself when it is opened, if the person chose so', async () => {
    await window.runCommand('Fairlead: Reconnect This Workspace When It Opens');
    await window.notified('connects by itself whenever you open it');
    const { connection_id } = (await findInstance(owner, window.path))!;
    await window.leave();
    await untilGone(owner, window.path);
    await window.openAgain();
    expect(await window.connected(owner)).toMatchObject({ connection_id });
  });

  async function untilActive(): Promise<void> {
    await window.until(
      'the extension',
      (vscode) => vscode.extensions.getExtension('fairlead.fairlead')?.isActive,
    );
  }

  /** Which files of the extension the extension host has loaded. */
  function loadedParts(): Promise<string[]> {
    return window.evaluate(() => {
      const modules = process.getBuiltinModule('node:module') as unknown as {
        _cache: Record<string, unknown>;
      };
      return Object.keys(modules._cache).flatMap(
        (path) => /fairlead\.fairlead[^/]*\/dist\/(.*)$/.exec(path)?.[1] ?? [],
      );
    });
  }

  async function onlySession() {
    const sessions = await owner.sessions();
    expect(sessions).toHaveLength(1);
    return sessions[0]!;
  }

  async function pairingLink(): Promise<string> {
    const { status, json } = await owner.call('POST', '/api/vscode/pairings');
    expect(status).toBe(201);
    return json.link as string;
  }

  /** As another program hands it over; VS Code itself asks first. */
  async function openUri(link: string): Promise<void> {
    const scheme = await window.evaluate((vscode) => vscode.env.uriScheme);
    await window.runCommand('Developer: Open URL');
    await window.answerInput(link.replace(/^[^:]+/, scheme), 'URL');
    await window.dialog.filter({ hasText: 'open this URI' }).waitFor();
    await window.clickDialog('Open');
  }
});

function readNumber(path: string): number | undefined {
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) || undefined : undefined;
}
