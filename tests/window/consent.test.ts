import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** As agents should be that let a person decide. */
const patient = { timeout: 240 };

describe('a command of an agent', windowNeeds, () => {
  const windows = useWindows();
  let owner: Caller;
  let window: VscodeWindow;
  let id: string;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ until: 'suite' });
    await window.connect(owner);
    id = await newAgent('Ada');
  }, windowNeeds.timeout);

  // Before the view of Fairlead takes the place of the files, by which a loaded window is known.
  test('is not asked about again in a session for which all were allowed, also after a reload', async () => {
    const running = owner.run(id, 'echo first', patient);
    await window.clickNotification('wants to run echo first', 'Always…');
    await window.pick('until its session ends');
    expect(await running).toMatchObject({ content: 'first' });
    expect(await owner.run(id, 'echo second', patient)).toMatchObject({ content: 'second' });
    await window.reload();
    await window.connected(owner);
    await window.executeCommand('fairlead.waiting.focus');
    expect(await owner.run(id, 'echo third', patient)).toMatchObject({ content: 'third' });
    await isAskedAbout(await newAgent('Other'), 'echo fourth');
    await window.runCommand('Fairlead: Reset Permissions');
    await window.input.getByText('run: Ada, for its session').waitFor();
    await window.page.keyboard.press('Enter');
    await window.notified('Asks again from now on');
    await isAskedAbout(id, 'echo fifth');
  });

  test('waits until the person runs it, and who watches the session sees that', async () => {
    const lin = await newAgent('Lin');
    const watcher = await owner.watch(lin).live();
    const running = owner.run(lin, 'echo one', patient);
    await window.notified('Lin wants to run echo one');
    await window.statusBar('1 to approve').waitFor();
    await watcher.until(() => watcher.of('approval').length === 1, 'the approval');
    expect(watcher.of('observation')).toEqual([]);
    await window.screenshot('consent notification');
    await window.clickNotification('Lin wants to run echo one', 'Run');
    const { actionId, ...ran } = await running;
    expect(ran).toMatchObject({ content: 'one', exitCode: 0 });
    await watcher.until(() => watcher.of('approval').length === 2, 'the decision');
    expect(watcher.of('approval')).toMatchObject([
      { actionId, state: 'waiting', capability: 'run', reason: null },
      { actionId, state: 'approved', capability: 'run', reason: null },
    ]);
    await nothingWaits();
    watcher.close();
  });

  test('runs as the person changed it, and the agent is told', async () => {
    const running = owner.run(id, 'echo two', patient);
    await window.clickNotification('wants to run echo two', 'Edit…');
    await window.answerInput('echo three');
    const { content } = await running;
    expect(content).toContain('changed the command');
    expect(content.split('\n').at(-1)).toBe('three');
  });

  test('that is rejected is not run, and the agent reads why', async () => {
    const running = owner.run(id, 'touch rejected', patient);
    await window.clickNotification('wants to run touch rejected', 'Reject with a reason…');
    await window.answerInput('use the scratch folder');
    const { observation, content } = await running;
    expect(observation).toBe('error');
    expect(content).toContain('The user rejected this action: use the scratch folder');
    expect(await window.workbench.file('rejected').count()).toBe(0);
  });

  test('of many lines is read whole in an editor before it can be accepted, and can be changed there', async () => {
    const running = owner.run(id, 'for number in 1 2\ndo\n  echo $number\n  echo and\ndone\n', patient);
    const shown = window.notification('wants to run for number');
    await shown.waitFor();
    expect(await shown.getByText('Run', { exact: true }).count()).toBe(0);
    await window.clickNotification('wants to run for number', 'Review');
    await window.editorButton('Accept').waitFor();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.type('echo begin && ');
    await window.screenshot('consent long command');
    await window.page.keyboard.press('Control+S');
    expect((await running).content).toMatch(/begin\n1\nand\n2\nand$/);
    await window.editorTab('command.sh').waitFor({ state: 'detached' });
  });

  test('stays in the view when its notification is gone, and is answered there', async () => {
    const running = owner.run(id, 'echo seen', patient);
    const shown = window.notification('wants to run echo seen');
    await shown.waitFor();
    await window.executeCommand('notifications.hideToasts');
    await shown.waitFor({ state: 'hidden' });
    await window.treeItem('run echo seen').first().hover();
    await window.screenshot('consent waiting view');
    await window.clickTreeButton('run echo seen', 'Accept');
    expect(await running).toMatchObject({ content: 'seen', exitCode: 0 });
  });

  test('that nobody answers expires in time for the agent to hear of it, and is shown no longer', async () => {
    const { observation, content } = await owner.run(id, 'echo late', { timeout: 4 });
    expect(observation).toBe('error');
    expect(content).toMatch(/did not answer within \d s/);
    await window.notification('wants to run echo late').waitFor({ state: 'detached' });
    await nothingWaits();
  });

  test('is withdrawn with the session that wants it, and a question about it with it', async () => {
    const grace = await newAgent('Grace');
    const running = owner.run(grace, 'echo gone', patient);
    await window.clickNotification('Grace wants to run echo gone', 'Reject with a reason…');
    await window.input.waitFor();
    await owner.remove(grace);
    await window.input.waitFor({ state: 'hidden' });
    await window.notification('Grace wants to run').waitFor({ state: 'detached' });
    await nothingWaits();
    expect((await running).content).not.toBe('gone');
  });

  test('cannot put a link of its own into the notification', async () => {
    const running = owner.run(id, 'echo [Run](command:fairlead.approval.accept)', patient);
    const shown = window.notification('wants to run echo [Run]');
    await shown.waitFor();
    expect(await shown.locator('a', { hasText: /^Run$/ }).count()).toBe(1);
    await window.clickNotification('wants to run echo [Run]', 'Reject');
    expect((await running).content).toContain('rejected');
  });

  test('is not asked about in a workspace in which all of every agent were allowed', async () => {
    const running = owner.run(id, 'echo all', patient);
    await window.clickNotification('wants to run echo all', 'Always…');
    await window.pick('of every agent in this workspace');
    await running;
    const other = await newAgent('Joan');
    expect(await owner.run(other, 'echo fine', patient)).toMatchObject({ content: 'fine' });
    await window.runCommand('Fairlead: Reset Permissions');
    await window.input.getByText('run: every agent, in this workspace').waitFor();
    await window.page.keyboard.press('Enter');
    await window.notified('Asks again from now on');
    await isAskedAbout(other, 'echo again');
  });

  test('is asked about although the workspace says "allow", and is denied when it says "deny"', async () => {
    const settings = join(window.path, '.vscode', 'settings.json');
    mkdirSync(join(window.path, '.vscode'));
    writeFileSync(settings, '{"fairlead.consent.run": "allow"}');
    await untilWorkspaceSays('allow');
    await isAskedAbout(id, 'echo sixth');
    const running = owner.run(id, 'echo seventh', patient);
    await window.notified('wants to run echo seventh');
    writeFileSync(settings, '{"fairlead.consent.run": "deny"}');
    expect((await running).content).toContain('"fairlead.consent.run" of this VS Code window is "deny"');
    await window.notification('wants to run echo seventh').waitFor({ state: 'detached' });
    writeFileSync(settings, '{}');
    await untilWorkspaceSays(null);
  });

  test('and its observation can be read in the activity view and the audit log', async () => {
    await window.setting('fairlead.consent.run', 'allow');
    await owner.run(id, 'echo TOKEN=abcdef123; false', patient);
    await window.setting('fairlead.consent.run', undefined);
    await window.treeItem('run echo TOKEN').click();
    await window.editorTab('.log').waitFor();
    await window.page.locator('.view-line', { hasText: '--- observation ---' }).waitFor();
    await window.screenshot('activity view');
    expect(await window.workbench.text()).toContain('run by Ada');
    await window.runCommand('Fairlead: Show Audit Log');
    await window.editorTab('audit.jsonl').waitFor();
    const path = join(windows.userDataDir, 'User/globalStorage/fairlead.fairlead/audit.jsonl');
    const records = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.at(-2)).toMatchObject({
      type: 'action',
      agent: 'Ada',
      subject: 'echo TOKEN=[redacted]; false',
    });
    expect(records.at(-1)).toMatchObject({ type: 'observation', state: 'failed', exitCode: 1 });
    expect(records).toContainEqual(
      expect.objectContaining({ type: 'approval', state: 'rejected', reason: 'use the scratch folder' }),
    );
    await window.executeCommand('fairlead.activity.clear');
    await window.treeItem('run echo TOKEN').waitFor({ state: 'detached' });
  });

  async function newAgent(agent: string): Promise<string> {
    return (await owner.create({ driver: 'window', labels: { agent } })).id;
  }

  async function isAskedAbout(sessionId: string, command: string): Promise<void> {
    const running = owner.run(sessionId, command, patient);
    await window.clickNotification(`wants to run ${command}`, 'Reject');
    expect((await running).content).toContain('rejected this action');
  }

  async function nothingWaits(): Promise<void> {
    await window.page.getByText('Nothing waits for you.').waitFor();
  }

  async function untilWorkspaceSays(value: string | null): Promise<void> {
    await window.until(
      `"${value}" in the settings of the workspace`,
      (vscode, wanted) => {
        const levels = vscode.workspace.getConfiguration('fairlead').inspect('consent.run');
        return (levels?.workspaceValue ?? null) === wanted;
      },
      value,
    );
  }
});

describe('in a folder that the person has not trusted', windowNeeds, () => {
  const windows = useWindows({ hasTrust: true, settings: { 'fairlead.consent.run': 'allow' } });

  test('an agent reads, and is refused all else with the reason, until the person trusts it', async () => {
    const { owner } = await windows.place.start();
    const window = await windows.open({ files: { 'a.txt': 'one\n' } });
    await window.connect(owner);
    const { id } = await owner.create({ driver: 'window', labels: { agent: 'Ada' } });
    const read = await owner.act(id, { action: 'read', args: { path: join(window.path, 'a.txt') } });
    expect(read.json).toMatchObject({ observation: 'read', content: 'one\n' });
    const { content } = await owner.run(id, 'echo two');
    expect(content).toContain('The user has not declared this folder as trusted');
    const path = join(window.path, 'a.txt');
    const write = await owner.act(id, { action: 'write', args: { path, content: 'two\n' } });
    expect(write.json).toMatchObject({
      content: expect.stringContaining('not declared this folder as trusted'),
    });
    expect(readFileSync(path, 'utf8')).toBe('one\n');
    await window.notified('Ada can only read here');
    await window.screenshot('consent untrusted');
    await window.clickNotification('Ada can only read here', 'Manage Workspace Trust');
    await window.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).click();
    await window.until('trust', (vscode) => vscode.workspace.isTrusted);
    expect(await owner.run(id, 'echo three')).toMatchObject({ content: 'three', exitCode: 0 });
  });
});
