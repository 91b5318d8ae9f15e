import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { findInstance } from './support/instances.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

const allowing = { 'fairlead.consent.run': 'allow', 'fairlead.consent.edit': 'allow' };

/** As when a folder is added to a window that shows one: VS Code makes a workspace of both, and opens it in its place. */
describe('a window that shows one folder more', windowNeeds, () => {
  const windows = useWindows({ settings: allowing });

  test('is the same to its gateway, and goes on with its agents', async () => {
    const { owner } = await windows.place.start();
    const window = await windows.open({ until: 'suite' });
    const { connection_id } = await window.connect(owner);
    const { id } = await owner.create({ driver: 'window', labels: { agent: 'Ada' } });
    await owner.run(id, 'echo kept >kept');
    const second = windows.folder({ 'b.txt': 'second\n' });
    const both = join(windows.folder({}), 'both.code-workspace');
    writeFileSync(both, JSON.stringify({ folders: [{ path: window.path }, { path: second }] }));
    await window.close();
    const again = await windows.open({ path: both, until: 'suite' });
    expect(await again.connected(owner, second)).toMatchObject({ connection_id });
    expect(await owner.run(id, `cat kept ${join(second, 'b.txt')}`)).toMatchObject({
      content: 'kept\nsecond',
      exitCode: 0,
    });
  });
});

/** Each test goes on where the one before it left the windows. */
describe('kinds of workspaces', windowNeeds, () => {
  const windows = useWindows({ settings: allowing, hasTrust: true });
  let owner: Caller;
  let window: VscodeWindow;
  let first: string;
  let second: string;
  let id: string;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    first = windows.folder({ 'a.txt': 'first\n' });
    second = windows.folder({ 'b.txt': 'second\n' });
    const path = join(windows.folder({}), 'two.code-workspace');
    writeFileSync(path, JSON.stringify({ folders: [{ path: first }, { path: second, name: 'second' }] }));
    window = await windows.open({ path, until: 'suite' });
    await window.connect(owner, first);
  }, windowNeeds.timeout);

  test('of several folders are listed with all of them, and chosen by any', async () => {
    expect((await findInstance(owner, second))?.folders).toMatchObject([
      { name: basename(first), path: first },
      { name: 'second', path: second },
    ]);
    ({ id } = await owner.create({ window: { folder: second }, labels: { agent: 'Ada' } }));
  });

  test('that nobody trusts can be read, and nothing else', async () => {
    expect(await findInstance(owner, first)).toMatchObject({ is_trusted: false });
    expect(await act('read', { path: join(first, 'a.txt') })).toMatchObject({
      observation: 'read',
      content: expect.stringContaining('first'),
    });
    const refused = { observation: 'error', content: expect.stringMatching(/trust/i) };
    expect(await act('run', { command: 'touch ran' })).toMatchObject(refused);
    expect(await act('write', { path: join(second, 'new.txt'), content: 'new' })).toMatchObject(refused);
    for (const name of ['ran', 'new.txt']) expect(existsSync(join(second, name))).toBe(false);
  });

  test('that become trusted can be worked in at once, each folder by its path', async () => {
    await window.clickNotification('not trusted', 'Manage Workspace Trust');
    const trust = window.page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ })
      .first();
    await trust.click();
    await window.until('trust', (vscode) => vscode.workspace.isTrusted);
    expect(await act('run', { command: 'pwd; cat b.txt' })).toMatchObject({ content: `${second}\nsecond` });
    expect(await act('write', { path: join(first, 'new.txt'), content: 'new' })).toMatchObject({
      observation: 'write',
    });
    expect(existsSync(join(first, 'new.txt'))).toBe(true);
    expect((await window.connected(owner, first)).is_trusted).toBe(true);
  });

  async function act(action: string, args: object): Promise<Record<string, unknown>> {
    const { status, json } = await owner.act(id, { action, args, timeout: 60 });
    expect(status).toBe(200);
    return json;
  }
});
