import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { findInstance, listInstances } from './support/instances.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

describe('two windows and two agents', windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
  let owner: Caller;
  let one: VscodeWindow;
  let other: VscodeWindow;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    one = await windows.open({ files: { 'who.txt': 'one\n' }, until: 'suite' });
    other = await windows.open({ files: { 'who.txt': 'other\n', 'deep/file.txt': '' }, until: 'suite' });
    for (const window of [one, other]) await window.connect(owner);
  }, windowNeeds.timeout);

  test('are listed, each with its folder', async () => {
    const paths = (await listInstances(owner)).map(({ workspace_path }) => workspace_path);
    expect(paths.toSorted()).toEqual([one.path, other.path].toSorted());
  });

  test('must be told apart by whoever creates a session', async () => {
    const { status, text } = await owner.tryCreate({ driver: 'window' });
    expect(status).toBe(400);
    for (const { path } of [one, other]) expect(text).toContain(path);
  });

  test('are chosen by a folder inside, or by their id', async () => {
    const byFolder = await owner.create({
      window: { folder: `${other.path}/deep` },
      labels: { agent: 'Ada' },
    });
    const { connection_id } = (await findInstance(owner, one.path))!;
    const byId = await owner.create({ window: { id: connection_id }, labels: { agent: 'Grace' } });
    const [ofAda, ofGrace] = await Promise.all([
      owner.run(byFolder.id, 'cat ../who.txt; pwd'),
      owner.run(byId.id, 'cat who.txt; pwd'),
    ]);
    expect(ofAda.content).toBe(`other\n${other.path}/deep`);
    expect(ofGrace.content).toBe(`one\n${one.path}`);
    expect(await findInstance(owner, other.path)).toMatchObject({ sessions: [{ agent: 'Ada' }] });
    await one.statusBar('Grace').waitFor();
    await other.statusBar('Ada').waitFor();
    expect(await one.terminalNames()).toEqual(['Grace']);
    expect(await other.terminalNames()).toEqual(['Ada']);
  });

  test('of one window work at the same time, each in a terminal of its own', async () => {
    const { id: first } = await owner.create({ window: { folder: one.path }, labels: { agent: 'Joan' } });
    const { id: second } = await owner.create({ window: { folder: one.path }, labels: { agent: 'Mary' } });
    const [waits, ends] = await Promise.all([
      owner.run(first, 'NAME=Joan; until [[ -e met ]]; do sleep 0.02; done; echo "$NAME"'),
      owner.run(second, 'touch met; echo "[$NAME]"'),
    ]);
    expect([waits.content, ends.content]).toEqual(['Joan', '[]']);
    expect((await one.terminalNames()).toSorted()).toEqual(['Grace', 'Joan', 'Mary']);
    await one.statusBar('3 agents').waitFor();
    await one.screenshot('window three agents');
  });

  test('the session of one agent is ended by the person, and the others go on', async () => {
    const sessions = await owner.sessions();
    const idOf = (agent: string) => sessions.find(({ labels }) => labels.agent === agent)!.id;
    await one.runCommand("Fairlead: End an Agent's Session");
    await one.pick('Joan');
    await one.clickDialog('End Session');
    await one.statusBar('2 agents').waitFor();
    expect(await owner.session(idOf('Joan'))).toMatchObject({ state: 'stopped' });
    expect(await owner.run(idOf('Mary'), 'echo here')).toMatchObject({ content: 'here' });
  });

  test('another owner sees none of it', async () => {
    const stranger = owner.with(await windows.place.addTenant('stranger'));
    expect(await listInstances(stranger)).toEqual([]);
    expect((await stranger.tryCreate({ window: { folder: one.path } })).text).not.toContain(one.path);
  });
});
