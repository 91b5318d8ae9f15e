import { existsSync, writeFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { until } from '../gateway/support/wait.ts';
import { AgentFiles, PersonAtEditor } from './support/agent-files.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** As agents should be that let a person decide. */
const patient = { timeout: 240 };

describe('an edit of an agent', windowNeeds, () => {
  const windows = useWindows();
  let owner: Caller;
  let window: VscodeWindow;
  let ada: AgentFiles;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ until: 'suite' });
    await window.connect(owner);
    ada = await newAgent('Ada');
  }, windowNeeds.timeout);
  let name = '';
  let count = 0;
  // One for each test: VS Code notices only after a while that a file has changed on disk.
  beforeEach(() => {
    count += 1;
    name = `${count}.txt`;
    writeFileSync(ada.path(name), 'one\ntwo\n');
  });

  test('is shown as a diff that takes neither focus nor typing, and changes nothing yet', async () => {
    const person = await PersonAtEditor.open(window, ada.path('README.md'));
    await window.executeCommand('workbench.action.focusActiveEditorGroup');
    const edited = ada.replace(name, 'two', '2', patient);
    await diff('Ada').waitFor();
    await rightSide().filter({ hasText: '2' }).first().waitFor();
    await window.page.keyboard.type('mine ');
    await window.until(
      'what the person typed',
      (vscode, path) =>
        vscode.workspace.textDocuments.some(
          ({ uri, getText }) => uri.fsPath === path && getText().startsWith('mine '),
        ),
      ada.path('README.md'),
    );
    await window.screenshot('edit diff');
    expect(ada.onDisk(name)).toBe('one\ntwo\n');
    await window.clickNotification(`Ada wants to edit ${name}`, 'Accept');
    expect((await edited).content).toContain('     2\t2\n');
    expect(ada.onDisk(name)).toBe('one\n2\n');
    await diff('Ada').waitFor({ state: 'detached' });
    await person.undo();
    await person.save();
    await person.close();
  });

  test('is made as the person changed it in the diff, and the agent is told what the file holds', async () => {
    const edited = ada.replace(name, 'two', '2', patient);
    await review('Ada');
    await window.page.keyboard.press('Control+End');
    await window.page.keyboard.type('three\n');
    await rightSide().filter({ hasText: 'three' }).first().waitFor();
    await window.clickEditorButton('Accept');
    const { content, extras } = await edited;
    expect(ada.onDisk(name)).toBe('one\n2\nthree\n');
    expect(content).toContain('NOTE:');
    expect(extras['diff']).toContain('+three');
    await diff('Ada').waitFor({ state: 'detached' });
  });

  test('that is rejected in the diff is not made, and the agent reads why', async () => {
    const edited = ada.replace(name, 'two', '2', patient);
    await review('Ada');
    await window.clickEditorButton('Reject');
    await window.answerInput('two is a word');
    expect((await edited).content).toContain('The user rejected this action: two is a word');
    expect(ada.onDisk(name)).toBe('one\ntwo\n');
    await diff('Ada').waitFor({ state: 'detached' });
  });

  test('is rejected by closing its tab', async () => {
    const edited = ada.create('new.txt', 'new\n');
    await diff('Ada', 'new.txt').click();
    await window.executeCommand('workbench.action.closeActiveEditor');
    expect((await edited).content).toContain('The user rejected this action');
    expect(existsSync(ada.path('new.txt'))).toBe(false);
  });

  test('that nobody answers expires, and its diff is closed although it was changed', async () => {
    const edited = ada.replace(name, 'two', '2', { timeout: 40 });
    await review('Ada');
    await window.page.keyboard.type('mine');
    await rightSide().filter({ hasText: 'mine' }).first().waitFor();
    expect((await edited).content).toContain('did not answer within');
    await diff('Ada').waitFor({ state: 'detached' });
    expect(await window.dialog.count()).toBe(0);
    expect(ada.onDisk(name)).toBe('one\ntwo\n');
  });

  test('of the same file waits until the one before it is decided, and stands on what is there then', async () => {
    const grace = await newAgent('Grace');
    const first = ada.replace(name, 'one', '1', patient);
    await diff('Ada').waitFor();
    const second = grace.replace(name, 'two', '2', patient);
    await window.clickNotification('Ada wants to edit', 'Reject');
    expect((await first).content).toContain('rejected');
    await diff('Grace').waitFor();
    await window.clickNotification('Grace wants to edit', 'Accept');
    await second;
    expect(ada.onDisk(name)).toBe('one\n2\n');
  });

  test('is shown when the person is done with the one that they are in, and does not get their keys', async () => {
    const grace = await newAgent('Grace');
    const other = `other-${name}`;
    writeFileSync(ada.path(other), 'three\n');
    const first = ada.replace(name, 'two', '2', patient);
    await review('Ada');
    const second = grace.replace(other, 'three', '3', patient);
    await window.notified(`Grace wants to edit ${other}`);
    await rightSide().first().click();
    await window.page.keyboard.type('mine ');
    await rightSide().filter({ hasText: 'mine' }).first().waitFor();
    expect(await diff('Grace', other).count()).toBe(0);
    await window.page.keyboard.press('Control+s');
    await first;
    expect(ada.onDisk(name)).toContain('mine ');
    expect(ada.onDisk(other)).toBe('three\n');
    await diff('Grace', other).waitFor();
    await window.clickNotification('Grace wants to edit', 'Accept');
    await second;
    expect(ada.onDisk(other)).toBe('3\n');
  });

  test('that the person has changed is made so when they accept all edits in another diff', async () => {
    const other = `other-${name}`;
    writeFileSync(ada.path(other), 'three\n');
    const lin = await newAgent('Lin');
    const first = lin.replace(name, 'two', '2', patient);
    await review('Lin');
    await window.page.keyboard.type('mine ');
    await rightSide().filter({ hasText: 'mine' }).first().waitFor();
    const second = lin.replace(other, 'three', '3', patient);
    await window.clickNotification(`Lin wants to edit ${other}`, 'Review');
    await rightSide().filter({ hasText: '3' }).first().waitFor();
    await window.executeCommand('fairlead.approval.acceptAllEdits');
    await Promise.all([first, second]);
    expect(ada.onDisk(name)).toContain('mine ');
    expect(ada.onDisk(other)).toBe('3\n');
  });

  test('is waiting still after a reload of the window, with what the person has not decided', async () => {
    const edited = ada.replace(name, 'two', '2', patient);
    await review('Ada');
    await window.page.keyboard.type('mine');
    await rightSide().filter({ hasText: 'mine' }).first().waitFor();
    await window.reload();
    await window.notified(`Ada wants to edit ${name}`);
    await until(async () => (await diff('Ada').count()) === 1, 'one diff', 60_000);
    await window.screenshot('edit after reload');
    await window.clickNotification(`Ada wants to edit ${name}`, 'Accept');
    expect((await edited).content).toContain('     2\t2\n');
    expect(ada.onDisk(name)).toBe('one\n2\n');
    await diff('Ada').waitFor({ state: 'detached' });
  });

  test('and all that follow in the session pass when the person says so in the diff', async () => {
    const edited = ada.replace(name, 'two', '2', patient);
    await review('Ada');
    await window.executeCommand('fairlead.approval.acceptAllEdits');
    await edited;
    await ada.replace(name, 'one', '1', patient);
    expect(ada.onDisk(name)).toBe('1\n2\n');
    const joan = await newAgent('Joan');
    const others = joan.replace(name, '1', 'one', patient);
    await window.clickNotification('Joan wants to edit', 'Reject');
    expect((await others).content).toContain('rejected');
  });

  async function newAgent(agent: string): Promise<AgentFiles> {
    const { id } = await owner.create({ driver: 'window', labels: { agent } });
    return new AgentFiles(owner, id, window.path);
  }

  /** The tab of the diff. */
  function diff(agent: string, file = name) {
    return window.editorTab(`${file} (${agent} proposes)`);
  }

  function rightSide() {
    return window.page.locator('.monaco-diff-editor .editor.modified .view-line');
  }

  /** Puts the person into the diff. */
  async function review(agent: string): Promise<void> {
    await window.clickNotification(`${agent} wants to edit`, 'Review');
    await window.editorButton('Accept').waitFor();
    await window.page.locator('.monaco-diff-editor .editor.modified .monaco-editor.focused').waitFor();
  }
});
