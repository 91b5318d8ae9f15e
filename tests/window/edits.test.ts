import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { AgentFiles, PersonAtEditor } from './support/agent-files.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

const unsaved = 'NOTE: The user has unsaved changes in';

describe('an agent that edits in a window', windowNeeds, () => {
  const windows = useWindows({
    settings: {
      'fairlead.consent.edit': 'allow',
      'fairlead.consent.run': 'allow',
      // In a browser VS Code saves by itself otherwise.
      'files.autoSave': 'off',
    },
  });
  let owner: Caller;
  let window: VscodeWindow;
  let id: string;
  let agent: AgentFiles;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ until: 'suite' });
    await window.connect(owner);
    ({ id } = await owner.create({ driver: 'window', labels: { agent: 'Ada' } }));
    agent = new AgentFiles(owner, id, window.path);
  }, windowNeeds.timeout);

  const file = (name: string, text: string | Buffer) => {
    writeFileSync(agent.path(name), text);
    return agent.path(name);
  };

  test('changes the file on disk, and the person can undo it in one step with the cursor where it was', async () => {
    const person = await PersonAtEditor.open(window, file('plain.txt', 'one\ntwo\nthree\nfour\n'));
    await person.type('', 3, 2);
    const { content } = await agent.replace('plain.txt', 'two\nthree', '2\n2.5\n3');
    expect(content).toContain('     2\t2\n     3\t2.5\n');
    expect(content).not.toContain('NOTE:');
    expect(agent.onDisk('plain.txt')).toBe('one\n2\n2.5\n3\nfour\n');
    expect(await person.sees()).toEqual({ text: 'one\n2\n2.5\n3\nfour\n', isDirty: false, cursor: [4, 2] });
    await person.undo();
    expect((await person.sees()).text).toBe('one\ntwo\nthree\nfour\n');
  });

  test('changes several places of a file in one step, too', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`);
    const person = await PersonAtEditor.open(window, file('many.txt', lines.join('')));
    await person.type('', 30, 4);
    const wanted = lines.join('').replace('line 3\n', 'line three\n').replace('line 50\n', '');
    await agent.write('many.txt', wanted.slice(0, -1));
    expect(agent.onDisk('many.txt')).toBe(wanted);
    expect((await person.sees()).cursor).toEqual([30, 4]);
    await person.undo();
    expect((await person.sees()).text).toBe(lines.join(''));
  });

  test('can be undone in a file that was not open', async () => {
    const path = file('closed.txt', 'one\n');
    await agent.replace('closed.txt', 'one', '1');
    expect(agent.onDisk('closed.txt')).toBe('1\n');
    const person = await PersonAtEditor.open(window, path);
    await person.undo();
    expect((await person.sees()).text).toBe('one\n');
  });

  test('makes new files, and directories for them', async () => {
    expect(await agent.write('new/deep/file.txt', 'hello')).toMatchObject({
      observation: 'write',
      content: '',
    });
    expect(agent.onDisk('new/deep/file.txt')).toBe('hello\n');
    expect((await agent.create('created.txt', 'one\ntwo\n')).content).toBe(
      `File created successfully at: ${agent.path('created.txt')}`,
    );
    expect(agent.onDisk('created.txt')).toBe('one\ntwo\n');
    await agent.undo('created.txt');
    expect((await agent.create('missing/file.txt', 'x')).content).toContain('ERROR:');
  });

  test('sees what the person has not saved', async () => {
    const person = await PersonAtEditor.open(window, file('typed.txt', 'one\n'));
    await person.type('half a thought ', 0);
    expect(await agent.read('typed.txt')).toBe('half a thought one\n');
    expect(agent.onDisk('typed.txt')).toBe('one\n');
  });

  test('edits beside what the person has not saved, leaves that unsaved, and says so', async () => {
    const person = await PersonAtEditor.open(window, file('dirty.txt', 'one\ntwo\n'));
    await person.type('mine ', 0);
    const { content } = await agent.replace('dirty.txt', 'two', '2');
    expect(content).toContain(`${unsaved} ${agent.path('dirty.txt')}`);
    expect(await person.sees()).toMatchObject({ text: 'mine one\n2\n', isDirty: true });
    expect(agent.onDisk('dirty.txt')).toBe('one\ntwo\n');
    await person.undo();
    expect((await person.sees()).text).toBe('mine one\ntwo\n');
    await person.undo();
    await person.undo();
  });

  test('saves it with the rest where the person chose so', async () => {
    await window.setting('fairlead.edits.saveDirty', true);
    const person = await PersonAtEditor.open(window, file('saved.txt', 'one\ntwo\n'));
    await person.type('mine ', 0);
    expect((await agent.replace('saved.txt', 'two', '2')).content).not.toContain('NOTE:');
    expect(agent.onDisk('saved.txt')).toBe('mine one\n2\n');
    await window.setting('fairlead.edits.saveDirty', undefined);
  });

  test('cannot replace what the person has typed and the agent has not seen', async () => {
    const person = await PersonAtEditor.open(window, file('unseen.txt', 'one\n'));
    await agent.read('unseen.txt');
    await person.type('mine ', 0);
    const refused = await agent.write('unseen.txt', 'all new');
    expect(refused.observation).toBe('error');
    expect(refused.content).toContain('Conflict: the user has unsaved changes');
    expect((await person.sees()).text).toBe('mine one\n');
    await agent.read('unseen.txt');
    expect((await agent.write('unseen.txt', 'all new')).content).toContain(unsaved);
    expect(await person.sees()).toMatchObject({ text: 'all new\n', isDirty: true });
    await person.undo();
    expect((await person.sees()).text).toBe('mine one\n');
  });

  test('cannot change what the person typed while they were asked', async () => {
    await window.setting('fairlead.consent.edit', 'ask');
    const person = await PersonAtEditor.open(window, file('asked.txt', 'one\ntwo\n'));
    const edited = agent.replace('asked.txt', 'two', '2');
    await window.notified('Ada wants to edit asked.txt');
    await person.type('mine ', 0);
    await window.clickNotification('Ada wants to edit asked.txt', 'Accept');
    expect((await edited).content).toContain(`Conflict: ${agent.path('asked.txt')} was changed`);
    expect(await person.sees()).toMatchObject({ text: 'mine one\ntwo\n', isDirty: true });
    expect(agent.onDisk('asked.txt')).toBe('one\ntwo\n');
    await window.setting('fairlead.consent.edit', 'allow');
  });

  test('makes a file anew that is open and gone from the disk', async () => {
    const person = await PersonAtEditor.open(window, file('gone.txt', 'old\n'));
    await owner.run(id, `rm ${agent.path('gone.txt')}`);
    expect((await agent.create('gone.txt', 'new\n')).content).toContain('created');
    expect(agent.onDisk('gone.txt')).toBe('new\n');
    await window.until(
      'the editor to show it',
      (vscode, path) =>
        vscode.workspace.textDocuments.some(
          (document) => document.uri.fsPath === path && document.getText() === 'new\n',
        ),
      agent.path('gone.txt'),
    );
    expect((await person.sees()).isDirty).toBe(false);
  });

  test('does not touch a notebook that the person has not saved', async () => {
    const cell = { cell_type: 'markdown', metadata: {}, source: ['one'] };
    const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    const path = file('book.ipynb', JSON.stringify(notebook));
    await window.evaluate(async (vscode, given) => {
      const book = await vscode.workspace.openNotebookDocument(vscode.Uri.file(given));
      await vscode.window.showNotebookDocument(book);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(book.cellAt(0).document.uri, new vscode.Position(0, 0), 'mine ');
      await vscode.workspace.applyEdit(edit);
    }, path);
    await window.until('its tab to be unsaved', (vscode) =>
      vscode.window.tabGroups.all.some(({ tabs }) =>
        tabs.some((tab) => tab.isDirty && tab.label === 'book.ipynb'),
      ),
    );
    expect((await agent.replace('book.ipynb', 'one', 'two')).content).toContain(
      'Conflict: the user has unsaved',
    );
    expect(agent.onDisk('book.ipynb')).toBe(JSON.stringify(notebook));
    await window.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('edits what a command wrote a moment ago, in a file that is open', async () => {
    const person = await PersonAtEditor.open(window, file('command.txt', 'one\ntwo\n'));
    await owner.run(id, `sed -i s/one/1/ ${agent.path('command.txt')}`);
    expect(await agent.read('command.txt')).toBe('1\ntwo\n');
    expect((await agent.replace('command.txt', 'two', '2')).content).toContain('has been edited');
    expect(agent.onDisk('command.txt')).toBe('1\n2\n');
    await window.until(
      'the editor to show it',
      (vscode, path) =>
        vscode.workspace.textDocuments.some(
          (document) => document.uri.fsPath === path && document.getText() === '1\n2\n',
        ),
      agent.path('command.txt'),
    );
    expect((await person.sees()).isDirty).toBe(false);
  });

  test('gets a file as the settings of the person make it, and is told so', async () => {
    await window.setting('files.trimTrailingWhitespace', true);
    await window.setting('files.insertFinalNewline', true);
    const { content } = await agent.create('settings.txt', 'one   \ntwo');
    expect(agent.onDisk('settings.txt')).toBe('one\ntwo\n');
    expect(content).toContain('NOTE: The file does not hold exactly what you wrote');
    await window.setting('files.trimTrailingWhitespace', undefined);
    await window.setting('files.insertFinalNewline', undefined);
  });

  test('gets a file as the formatter of the person leaves it, and sees the result', async () => {
    await window.evaluate((vscode) => {
      vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/*.shout' },
        {
          provideDocumentFormattingEdits(document) {
            const end = document.lineAt(document.lineCount - 1).range.end;
            const all = new vscode.Range(new vscode.Position(0, 0), end);
            return [vscode.TextEdit.replace(all, document.getText().toUpperCase())];
          },
        },
      );
    });
    await window.setting('editor.formatOnSave', true);
    file('text.shout', 'ONE\nTWO\n');
    const { content, extras } = await agent.replace('text.shout', 'TWO', 'three');
    expect(agent.onDisk('text.shout')).toBe('ONE\nTHREE\n');
    expect(content).toContain('     2\tTHREE\n');
    expect(content).toContain('NOTE: The file does not hold exactly what you wrote');
    expect(extras['diff']).toContain('+THREE');
    await window.setting('editor.formatOnSave', undefined);
  });

  test('keeps the kind of line ends, also where there are several', async () => {
    file('windows.txt', 'one\r\ntwo\r\n');
    await agent.replace('windows.txt', 'two', '2\n3');
    expect(agent.onDisk('windows.txt')).toBe('one\r\n2\r\n3\r\n');
    await agent.create('new-windows.bat', 'one\r\ntwo\r\n');
    expect(agent.onDisk('new-windows.bat')).toBe('one\r\ntwo\r\n');
    file('mixed.txt', 'one\r\ntwo\nthree\r\nfour\n');
    expect((await agent.replace('mixed.txt', 'three', '3')).content).not.toContain('NOTE:');
    expect(agent.onDisk('mixed.txt')).toBe('one\r\ntwo\n3\r\nfour\n');
  });

  test('keeps the encoding, by the settings or by what is in the file', async () => {
    const latin = Buffer.from('caf\u00e9 cr\u00e8me, na\u00efve d\u00e9j\u00e0-vu\n', 'latin1');
    file('guessed.txt', latin);
    await agent.replace('guessed.txt', 'naïve', 'clever');
    expect(Buffer.from(agent.onDiskBytes('guessed.txt')).toString('latin1')).toBe(
      'café crème, clever déjà-vu\n',
    );
    await window.setting('files.encoding', 'iso88592');
    // The letters of Polish in ISO 8859-2, which nothing in the file tells apart from other encodings.
    file('polish.txt', Buffer.from([0xb1, 0xe6, 0xea, 0x0a]));
    expect(await agent.read('polish.txt')).toBe('ąćę\n');
    await agent.replace('polish.txt', 'ć', 'ł');
    expect([...agent.onDiskBytes('polish.txt')]).toEqual([0xb1, 0xb3, 0xea, 0x0a]);
    await window.setting('files.encoding', undefined);
    file('mark.txt', '\ufeffone\n');
    expect((await agent.replace('mark.txt', 'one', '1')).content).toContain('has been edited');
    expect(agent.onDisk('mark.txt')).toBe('\ufeff1\n');
  });

  test('is told which problems came and went, when it asks', async () => {
    await window.evaluate((vscode) => {
      const problems = vscode.languages.createDiagnosticCollection('words');
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (!document.uri.path.endsWith('.words')) return;
        const at = document.getText().indexOf('bad');
        const range = new vscode.Range(document.positionAt(at), document.positionAt(at + 3));
        problems.set(document.uri, at < 0 ? [] : [new vscode.Diagnostic(range, 'a bad word')]);
      });
    });
    file('text.words', 'good\n');
    const asked = await agent.replace('text.words', 'good', '\nbad', { diagnostics: true });
    expect(asked.extras['diagnostics']).toMatchObject({
      added: [
        {
          path: agent.path('text.words'),
          severity: 'error',
          message: 'a bad word',
          range: { start: { line: 1, character: 0 } },
        },
      ],
      removed: [],
      isSettled: true,
    });
    const mended = await agent.replace('text.words', 'bad', 'good', { diagnostics: true });
    expect(mended.extras['diagnostics']).toMatchObject({ added: [], removed: [{ message: 'a bad word' }] });
    expect((await agent.replace('text.words', 'good', 'fine')).extras).not.toHaveProperty('diagnostics');
  });

  test('waits for another agent that edits the same file, and loses nothing', async () => {
    const { id: otherId } = await owner.create({ driver: 'window', labels: { agent: 'Bob' } });
    const other = new AgentFiles(owner, otherId, window.path);
    file('shared.txt', Array.from({ length: 20 }, (_, index) => `line ${index}.\n`).join(''));
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? agent : other).replace('shared.txt', `line ${index}.`, `changed ${index}.`),
      ),
    );
    expect(agent.onDisk('shared.txt')).toBe(
      Array.from({ length: 20 }, (_, index) => `changed ${index}.\n`).join(''),
    );
    await owner.remove(otherId);
  });

  test('reads long files', async () => {
    const text = 'a line of text that is not very short\n'.repeat(28_000);
    file('long.txt', text);
    expect(await agent.read('long.txt')).toBe(text);
  });
});
