import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { until } from '../gateway/support/wait.ts';
import { addVirtualFolder } from './fixtures/virtual-folder.ts';
import { AgentFiles, PersonAtEditor } from './support/agent-files.ts';
import { Transfers } from './support/transfers.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

describe('the places where an agent works in a window', windowNeeds, () => {
  const windows = useWindows({
    settings: {
      'fairlead.consent.edit': 'allow',
      'fairlead.consent.run': 'allow',
      'files.autoSave': 'off',
    },
  });
  let owner: Caller;
  let window: VscodeWindow;
  let id: string;
  let api: string;
  let web: string;
  let agent: AgentFiles;
  let transfers: Transfers;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    api = windows.folder({ 'src/server.txt': 'server\n' });
    web = windows.folder({ 'page.txt': 'page\n' });
    const workspace = join(windows.folder({}), 'both.code-workspace');
    const folders = [
      { path: api, name: 'api' },
      { path: web, name: 'web' },
    ];
    writeFileSync(workspace, JSON.stringify({ folders }));
    window = await windows.open({ path: workspace, until: 'suite' });
    await window.connect(owner, api);
    ({ id } = await owner.create({ driver: 'window', window: { folder: api } }));
    agent = new AgentFiles(owner, id, api);
    transfers = new Transfers(owner, id);
  }, windowNeeds.timeout);

  test('are all folders of the workspace, by path or by the name of the folder', async () => {
    expect(await agent.read('src/server.txt')).toBe('server\n');
    expect(await agent.read(join(web, 'page.txt'))).toBe('page\n');
    expect(await agent.read('web/page.txt')).toBe('page\n');
    expect((await agent.write('web/new.txt', 'new')).observation).toBe('write');
    expect(readFileSync(join(web, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await transfers.list('')).toEqual(['src/', 'README.md']);
    expect(await transfers.list('web')).toEqual(['new.txt', 'page.txt', 'README.md']);
  });

  test('are not outside of it, neither by a path nor by a link', async () => {
    const outside = windows.folder({ 'secret.txt': 'secret\n' });
    symlinkSync(outside, join(api, 'way-out'));
    symlinkSync(join(outside, 'new.txt'), join(api, 'new-out.txt'));
    const paths = [
      join(outside, 'secret.txt'),
      join(api, 'way-out/secret.txt'),
      '../../../../etc/passwd',
      `${api}-evil/file.txt`,
      'new-out.txt',
    ];
    for (const path of paths) {
      for (const answer of [await agent.act('read', { path }), await agent.write(path, 'mine')]) {
        expect(answer.observation).toBe('error');
        expect(answer.content).toContain('Outside the workspace');
      }
    }
    expect((await agent.replace('way-out/secret.txt', 'secret', 'mine')).content).toContain(
      'Outside the workspace',
    );
    expect((await transfers.upload(outside, 'up.txt', 'mine')).status).toBe(403);
    expect((await transfers.upload(join(api, 'way-out'), 'up.txt', 'mine')).status).toBe(403);
    expect((await transfers.download(join(api, 'way-out'))).status).toBe(403);
    expect(await transfers.list(`${api}/way-out/..`)).toEqual(await transfers.list(api));
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret\n');
  });

  test('are more when the person says so in their own settings', async () => {
    const outside = windows.folder({ 'notes.txt': 'notes\n' });
    await window.setting('fairlead.allowOutside', [outside]);
    expect(await agent.read(join(outside, 'notes.txt'))).toBe('notes\n');
    await window.setting('fairlead.allowOutside', undefined);
    expect(await agent.read(join(outside, 'notes.txt'))).toContain('Outside the workspace');
  });

  test('take uploads and give downloads', async () => {
    expect(await transfers.upload(join(api, 'in'), 'data.bin', 'a\0b')).toMatchObject({ status: 200 });
    expect(agent.onDisk('in/data.bin')).toBe('a\0b');
    const zip = await transfers.zipOf({ 'one.txt': '1\n', 'deep/two.txt': '2\n' });
    expect(await transfers.upload(join(api, 'unpacked'), 'all.zip', zip)).toMatchObject({ status: 200 });
    expect(agent.onDisk('unpacked/deep/two.txt')).toBe('2\n');
    expect(await transfers.filesIn(join(api, 'unpacked'))).toEqual({
      'deep/two.txt': '2\n',
      'one.txt': '1\n',
    });
  });

  test('do not take an upload over what the person has not saved', async () => {
    const path = join(api, 'unsaved.txt');
    writeFileSync(path, 'one\n');
    const person = await PersonAtEditor.open(window, path);
    await person.type('mine ', 0);
    expect((await transfers.upload(api, 'unsaved.txt', 'theirs')).status).toBe(409);
    const zip = await transfers.zipOf({ 'unsaved.txt': 'theirs', 'other.txt': 'theirs' });
    expect((await transfers.upload(api, 'all.zip', zip)).status).toBe(409);
    expect(await transfers.list('')).not.toContain('other.txt');
    expect((await person.sees()).text).toBe('mine one\n');
    await person.undo();
  });

  test('take an upload of text as the person has changed it in its diff, and an archive of which they see all', async () => {
    await window.setting('fairlead.consent.edit', 'ask');
    writeFileSync(join(api, 'up.txt'), 'one\n');
    const text = transfers.upload(api, 'up.txt', 'two\n');
    await window.clickNotification(/up\.txt/, 'Review');
    await window.page.locator('.monaco-diff-editor .editor.modified .monaco-editor.focused').waitFor();
    await window.page.keyboard.type('mine ');
    await window.shown('mine two');
    await window.clickEditorButton('Accept');
    expect(await text).toMatchObject({ status: 200 });
    expect(agent.onDisk('up.txt')).toBe('mine two\n');
    const names = Array.from({ length: 30 }, (_, index) => [`many/${index}.txt`, 'x']);
    const zip = await transfers.zipOf({ ...Object.fromEntries(names), 'up.txt': 'theirs' });
    const archive = transfers.upload(api, 'all.zip', zip);
    await window.clickNotification(/unpack 31 files/, 'Details');
    await window.shown('many/29.txt');
    await window.shown('up.txt (replaced)');
    await window.clickEditorButton('Reject');
    await window.answerInput('no');
    expect((await archive).status).toBe(403);
    expect(agent.onDisk('up.txt')).toBe('mine two\n');
    await window.setting('fairlead.consent.edit', 'allow');
  });

  test('get nothing of an upload whose sender, or whose session, is gone before the person has answered', async () => {
    await window.setting('fairlead.consent.edit', 'ask');
    const { id: short } = await owner.create({ driver: 'window', window: { folder: api } });
    const sender = new Transfers(owner, short);
    const leaving = new AbortController();
    const left = sender.upload(api, 'left.txt', 'mine', leaving).catch((error: Error) => error.name);
    await window.notified(/left\.txt/);
    leaving.abort();
    expect(await left).toBe('AbortError');
    await window.notification(/left\.txt/).waitFor({ state: 'detached' });
    const cut = sender.upload(api, 'cut.txt', 'mine').catch(() => undefined);
    await window.notified(/cut\.txt/);
    await owner.remove(short);
    await window.notification(/cut\.txt/).waitFor({ state: 'detached' });
    await cut;
    expect(['left.txt', 'cut.txt'].filter((name) => existsSync(join(api, name)))).toEqual([]);
    await window.setting('fairlead.consent.edit', 'allow');
  });

  test('tell the agent what the person does to files, and not what it does itself', async () => {
    const { id: watched } = await owner.create({ driver: 'window', window: { folder: api } });
    const other = new AgentFiles(owner, watched, api);
    const changes = async () =>
      (await owner.journal(watched)).flatMap((event) =>
        event.type === 'change' ? [[event.change, event.path, event.newPath]] : [],
      );
    await other.create('own.txt', 'one\n');
    await other.replace('own.txt', 'one', '1');
    const person = await PersonAtEditor.open(window, join(api, 'own.txt'));
    await person.type('mine ', 0);
    await person.save();
    await window.evaluate(async (vscode, folder) => {
      const at = (name: string) => vscode.Uri.file(`${folder}/${name}`);
      for (const step of ['create', 'rename', 'delete'] as const) {
        const edit = new vscode.WorkspaceEdit();
        if (step === 'create') edit.createFile(at('theirs.txt'));
        else if (step === 'rename') edit.renameFile(at('theirs.txt'), at('moved.txt'));
        else edit.deleteFile(at('moved.txt'));
        await vscode.workspace.applyEdit(edit);
      }
    }, api);
    const expected = [
      ['saved', join(api, 'own.txt'), null],
      ['created', join(api, 'theirs.txt'), null],
      ['renamed', join(api, 'theirs.txt'), join(api, 'moved.txt')],
      ['deleted', join(api, 'moved.txt'), null],
    ];
    await until(
      async () => (await changes()).length >= expected.length,
      'the changes in the journal',
      30_000,
    );
    expect(await changes()).toEqual(expected);
  });

  test('are shown beside the editor of the person who follows the agent', async () => {
    await window.setting('fairlead.follow', true);
    const person = await PersonAtEditor.open(window, join(api, 'README.md'));
    await person.type('', 0, 3);
    writeFileSync(join(api, 'followed.txt'), 'one\n');
    await agent.replace('followed.txt', 'one', '1');
    await window.until('the file to be shown', (vscode) =>
      vscode.window.visibleTextEditors.some(({ document }) => document.uri.path.endsWith('/followed.txt')),
    );
    const active = await window.evaluate((vscode) => vscode.window.activeTextEditor?.document.uri.fsPath);
    expect(active).toBe(join(api, 'README.md'));
    expect((await person.sees()).cursor).toEqual([0, 3]);
    await window.screenshot('window follow');
    await window.setting('fairlead.follow', undefined);
  });

  test('are those of a file system that only VS Code knows, too', async () => {
    await window.evaluate(addVirtualFolder);
    await window.until('the third folder', (vscode) => vscode.workspace.workspaceFolders?.length === 3);
    expect(await agent.read('/project/readme.txt')).toBe('from nowhere\n');
    expect(await agent.read('project/readme.txt')).toBe('from nowhere\n');
    const edit = (args: Record<string, unknown>) =>
      agent.act('edit', { path: '/project/readme.txt', ...args });
    await edit({ command: 'str_replace', old_str: 'from nowhere', new_str: 'from here' });
    expect(await agent.read('/project/readme.txt')).toBe('from here\n');
    expect((await agent.write('/project/deep/new.txt', 'new')).observation).toBe('write');
    expect(await transfers.list('/project')).toEqual(['deep/', 'readme.txt']);
    expect((await edit({ command: 'undo_edit' })).content).toContain('undone successfully');
    expect(await transfers.upload('/project/in', 'data.bin', 'a\0b')).toMatchObject({ status: 200 });
    const zip = await transfers.zipOf({ 'one.txt': '1\n', 'deep/two.txt': '2\n' });
    expect(await transfers.upload('/project/in', 'all.zip', zip)).toMatchObject({ status: 200 });
    expect(await transfers.filesIn('/project')).toEqual({
      'deep/new.txt': 'new\n',
      'in/data.bin': 'a\0b',
      'in/deep/two.txt': '2\n',
      'in/one.txt': '1\n',
      'readme.txt': 'from nowhere\n',
    });
    expect(await agent.read('/project/../etc/passwd')).toContain('Outside the workspace');
  });
});
