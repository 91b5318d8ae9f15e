import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../gateway/support/caller.ts';
import { listInstances } from './support/instances.ts';
import type { VscodeWindow } from './support/vscode-window.ts';
import { useWindows, windowNeeds } from './support/windows.ts';

/** Each test goes on where the one before it left the window. */
describe('signing in', windowNeeds, () => {
  const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
  let owner: Caller;
  let window: VscodeWindow;
  beforeAll(async () => {
    ({ owner } = await windows.place.start());
    window = await windows.open({ until: 'suite' });
  }, windowNeeds.timeout);

  test('with a wrong key is refused in words, with a button that asks again', async () => {
    await window.runCommand('Fairlead: Connect This Window');
    await window.answerInput(owner.url, 'Which gateway?');
    await window.answerInput('fl_abc_def', 'The key');
    await window.clickNotification(/refused: .*not valid/, 'Sign In');
    await window.input.waitFor();
    await window.page.keyboard.press('Escape');
    expect(await listInstances(owner)).toEqual([]);
  });

  test('by a link shows which gateway asks, and sends nothing when the user does not want it', async () => {
    await openLink(window, await pairingQuery(owner));
    await window.dialog.waitFor();
    expect(await window.dialog.textContent()).toContain(`Let agents of ${owner.url} work in`);
    await window.clickDialog('Cancel');
    await window.dialog.waitFor({ state: 'hidden' });
    expect(await listInstances(owner)).toEqual([]);
  });

  test('the same folder in a second window takes the sessions over, and the first says so', async () => {
    await window.connect(owner);
    const { id } = await owner.create({ driver: 'window', labels: { agent: 'Ada' } });
    await window.statusBar('Ada').waitFor();
    const second = await windows.open({ path: window.path });
    await second.runCommand('Fairlead: Connect This Window');
    await window.notified(/has connected again elsewhere/);
    await second.statusBar('Ada').waitFor();
    expect((await owner.run(id, 'pwd')).content).toBe(window.path);
    expect(await listInstances(owner)).toHaveLength(1);
  });
});

async function pairingQuery(owner: Caller): Promise<string> {
  const { json } = await owner.call('POST', '/api/vscode/pairings');
  return new URL(String(json['link'])).search.slice(1);
}

/** As a browser does it: the editor gives a link to itself an address that can be opened in another tab. */
async function openLink(window: VscodeWindow, query: string): Promise<void> {
  const address = await window.evaluate(async (vscode, given) => {
    const { uriScheme: scheme } = vscode.env;
    const link = vscode.Uri.from({ scheme, authority: 'fairlead.fairlead', path: '/connect', query: given });
    return (await vscode.env.asExternalUri(link)).toString(true);
  }, query);
  const tab = await window.page.context().newPage();
  await tab.goto(address);
  await window.dialog.waitFor();
  await tab.close();
}
