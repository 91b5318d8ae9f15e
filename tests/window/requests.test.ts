import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { AgentFiles, PersonAtEditor } from './support/agent-files.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

describe('what an agent asks of the editor', windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.edit': 'ask' } });
  let owner: Caller;
  let window: VscodeWindow;
  let id: string;
  let agent: AgentFiles;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({
      until: 'suite',
      files: {
        'shapes.ts': 'export function area(side: number) {\n  return side * side;\n}\n',
        'notes.md': '\nnotes\n',
        'odd.md': 'odd\n',
        'main.ts': "import { area } from './shapes.ts';\n\nconsole.log(area(2));\n",
      },
    });
    await window.connect(owner);
    ({ id } = await owner.create({ driver: 'window', labels: { agent: 'Ada' } }));
    agent = new AgentFiles(owner, id, window.path);
  }, windowNeeds.timeout);

  const ask = (type: string, params: Record<string, unknown> = {}) =>
    agent.act('vscode', { type: `vscode/${type}`, params });
  const result = async (type: string, params: Record<string, unknown> = {}) => {
    const answer = await ask(type, params);
    expect(answer.observation, answer.content).toBe('vscode');
    expect(JSON.parse(answer.content)).toEqual(answer.extras['result']);
    return answer.extras['result'] as Record<string, unknown>;
  };

  test('opens files and comparisons beside somebody who types, and takes neither their keys nor their cursor', async () => {
    const person = await PersonAtEditor.open(window, agent.path('notes.md'));
    const before = (await person.sees()).text;
    await window.executeCommand('workbench.action.focusActiveEditorGroup');
    await window.page.keyboard.type('one ');
    const opened = await result('openFile', { path: 'main.ts', selection: { line: 2, character: 0 } });
    expect(opened).toMatchObject({ path: agent.path('main.ts'), languageId: 'typescript', lineCount: 4 });
    await window.editorTab('main.ts').waitFor();
    await window.page.keyboard.type('two ');
    await result('showDiff', { left: { text: 'a' }, right: { text: 'b' }, title: 'a to b' });
    await window.editorTab('a to b').waitFor();
    await window.page.keyboard.type('three ');
    await result('openFile', { path: 'notes.md', selection: { line: 0, character: 0 } });
    await window.page.keyboard.type('four');
    await expect.poll(async () => (await person.sees()).text).toBe(`one two three four${before}`);
    await window.screenshot('opened beside a person who types');
    await window.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('sees what is open and selected', async () => {
    await window.evaluate(async (vscode, path) => {
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
      editor.selection = new vscode.Selection(2, 8, 2, 11);
    }, agent.path('main.ts'));
    expect(await result('openEditors')).toMatchObject({
      files: expect.arrayContaining([
        expect.objectContaining({ path: agent.path('main.ts'), isActive: true, isDirty: false }),
      ]),
      active: {
        path: agent.path('main.ts'),
        selection: { start: { line: 2, character: 8 }, end: { line: 2, character: 11 } },
        selectedText: 'log',
      },
    });
  });

  test('finds symbols, definitions and references', async () => {
    await window.until(
      'the language server',
      async (vscode, path) => {
        const command = 'vscode.executeDocumentSymbolProvider';
        const found = await vscode.commands.executeCommand<unknown[]>(command, vscode.Uri.file(path));
        return found?.length > 0;
      },
      agent.path('shapes.ts'),
    );
    expect(await result('symbols', { path: 'shapes.ts' })).toMatchObject({
      symbols: [{ name: 'area', kind: 'Function', path: agent.path('shapes.ts') }],
    });
    const place = { path: 'main.ts', position: { line: 2, character: 13 } };
    expect(await result('definition', place)).toMatchObject({
      locations: [{ path: agent.path('shapes.ts'), range: { start: { line: 0, character: 16 } } }],
    });
    const { locations } = await result('references', place);
    expect((locations as { text: string }[]).map(({ text }) => text)).toContain('console.log(area(2));');
  });

  test('renames when the user allows it, in all files, and they are saved', async () => {
    const asked = (await owner.journal(id)).length;
    const renaming = ask('rename', {
      path: 'shapes.ts',
      position: { line: 0, character: 17 },
      newName: 'surface',
    });
    await window.notified(/Ada .*rename a symbol to surface in 2 files/);
    await window.screenshot('rename consent');
    await window.clickNotification(/rename a symbol to surface/, 'Details');
    await window.shown('3: + console.log(surface(2));');
    await window.clickEditorButton('Accept');
    expect(await renaming).toMatchObject({
      observation: 'vscode',
      extras: { result: { files: expect.arrayContaining([expect.objectContaining({ isSaved: true })]) } },
    });
    expect(agent.onDisk('main.ts')).toContain('console.log(surface(2));');
    expect(agent.onDisk('shapes.ts')).toContain('function surface(');
    // A change of the person's comes behind what would have been told of the agent's own.
    const person = await PersonAtEditor.open(window, agent.path('notes.md'));
    await person.save();
    const changed = async () =>
      (await owner.journal(id)).flatMap((event) =>
        event.type === 'change' && event.seq > asked ? [event.path] : [],
      );
    await expect.poll(changed).toContain(agent.path('notes.md'));
    expect((await changed()).filter((path) => path.endsWith('.ts'))).toEqual([]);
    await person.close();
  });

  test('renames nothing when a file has changed while the user was asked, or when files would be moved', async () => {
    const place = { path: 'shapes.ts', position: { line: 0, character: 17 } };
    const renaming = ask('rename', { ...place, newName: 'extent' });
    await window.notified(/rename a symbol to extent/);
    await window.evaluate(async (vscode, path) => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(vscode.Uri.file(path), new vscode.Position(0, 0), '\n');
      await vscode.workspace.applyEdit(edit);
      await vscode.workspace.saveAll();
    }, agent.path('shapes.ts'));
    await window.clickNotification(/rename a symbol to extent/, 'Details');
    await window.clickEditorButton('Accept');
    expect(await renaming).toMatchObject({
      observation: 'error',
      content: expect.stringMatching(/Conflict: .*shapes\.ts/),
    });
    await window.evaluate((vscode) => {
      vscode.languages.registerRenameProvider('markdown', {
        provideRenameEdits: ({ uri }) => {
          const edit = new vscode.WorkspaceEdit();
          edit.insert(uri, new vscode.Position(0, 0), 'x');
          edit.renameFile(uri, vscode.Uri.joinPath(uri, '../moved.md'));
          return edit;
        },
      });
    });
    const moving = await ask('rename', {
      path: 'README.md',
      position: { line: 0, character: 3 },
      newName: 'moved',
    });
    expect(moving.content).toContain('create, move or delete files');
    expect(agent.onDisk('main.ts') + agent.onDisk('shapes.ts')).not.toContain('extent');
  });

  test('is told nothing of files outside the workspace, and takes no keys', async () => {
    const outside = join(windows.folder({ 'secret.txt': 'secret\n' }), 'secret.txt');
    symlinkSync(outside, agent.path('way-out.txt'));
    for (const path of [outside, agent.path('way-out.txt')]) {
      await window.evaluate(async (vscode, file) => {
        const uri = vscode.Uri.file(file);
        const editor = await vscode.window.showTextDocument(uri, { preview: false });
        editor.selection = new vscode.Selection(0, 0, 0, 6);
        const problem = new vscode.Diagnostic(editor.selection, 'secret problem', 0);
        vscode.languages.createDiagnosticCollection(file).set(uri, [problem]);
      }, path);
      const seen = await result('openEditors');
      expect(seen['active']).toBeNull();
      expect(JSON.stringify([seen, await result('diagnostics')])).not.toMatch(/secret|way-out/);
    }
    expect(await result('showMessage', { message: 'Look at me', modal: true })).toEqual({ button: null });
    await window.notified(/Look at me/);
    await window.evaluate((vscode) => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
  });

  test('reads the problems of a file that is not open', async () => {
    await agent.act('vscode', { type: 'vscode/openFile', params: { path: 'main.ts' } });
    await window.evaluate((vscode) => {
      const problems = vscode.languages.createDiagnosticCollection('probe');
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        const place = new vscode.Range(0, 0, 0, 3);
        if (uri.path.endsWith('odd.md')) problems.set(uri, [new vscode.Diagnostic(place, 'odd', 1)]);
      });
    });
    await window.evaluate((vscode) => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
    const { diagnostics } = await result('diagnostics', {
      path: 'odd.md',
      settleMs: 5000,
      severity: 'warning',
    });
    expect(diagnostics).toMatchObject([
      { message: 'odd', severity: 'warning', range: { start: { line: 0 } } },
    ]);
  });

  test('shows a message that bears its name', async () => {
    expect(await result('showMessage', { message: 'All done [here](command:x)' })).toEqual({ button: null });
    await window.notified(/All done .*\(Ada\)/);
    expect(
      await window
        .notification(/All done/)
        .locator('.notification-list-item-message a')
        .count(),
    ).toBe(0);
  });

  test('asks the user, who is not disturbed while typing, and answers when it suits', async () => {
    const asked = result('ask', { message: 'Which colour?', choices: ['red', 'blue'] });
    await window.clickNotification(/Ada asks: Which colour\?/, 'Answer');
    await window.pick('blue');
    expect(await asked).toMatchObject({ answer: 'blue', outcome: 'answered' });
  });

  test('goes on without an answer when the user dismisses the question, or when its time is over', async () => {
    const asked = result('ask', { message: 'Shall I wait?' });
    await window.clickNotification(/Shall I wait\?/, 'Dismiss');
    expect(await asked).toMatchObject({ answer: null, outcome: 'dismissed' });
    const late = await result('ask', { message: 'Nobody?', timeout: 500, default: 'then not' });
    expect(late).toMatchObject({ answer: 'then not', outcome: 'default' });
  });

  test('runs no command that is not on the user’s list, asks for the others, and cannot give itself permission', async () => {
    const refused = await ask('executeCommand', { command: 'workbench.action.reloadWindow' });
    expect(refused).toMatchObject({
      observation: 'error',
      content: expect.stringContaining('fairlead.commands.allowed'),
    });
    const own = await ask('executeCommand', { command: 'fairlead.approval.accept' });
    expect(own.observation).toBe('error');
    const asked = ask('executeCommand', { command: 'workbench.action.files.saveAll' });
    await window.clickNotification(/run the VS Code command workbench\.action\.files\.saveAll/, 'Allow');
    expect(await asked).toMatchObject({ observation: 'vscode' });
  });

  test('gets no further than the workspace, no password, and no language model', async () => {
    for (const [type, params] of [
      ['openFile', { path: '/etc/hostname' }],
      ['references', { path: 'file:///etc/hostname', position: { line: 0, character: 0 } }],
      ['ask', { message: 'Password?', password: true }],
      ['chat', { message: 'hello' }],
    ] as const)
      expect(await ask(type, params), type).toMatchObject({
        observation: 'error',
        extras: { error_id: 'denied' },
      });
  });

  test('is told which parameter is wrong', async () => {
    expect(await ask('openFile', {})).toMatchObject({
      observation: 'error',
      content: 'ERROR: Missing path parameter',
    });
    expect(await ask('showMessage', { message: 'x', level: 'loud' })).toMatchObject({
      content: expect.stringContaining('params.level'),
    });
  });
});
