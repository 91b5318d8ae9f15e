import { randomUUID } from 'node:crypto';
import type { Session } from '@fairlead/protocol';
import type { BrowserContext } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { Workbench } from '../../support/chromium-workbench.ts';
import type { Stage } from './stage.ts';
import { expectOwnSocketsAlone } from './socket-test.ts';
import { untilShown } from './until-shown.ts';
import { untilRemembered } from './workbench-storage.ts';

const limitMs = 60_000;
const notes = `# What the agent did

- wrote \`hello.txt\`
- started the app on port \`$APP_PORT_1\`

| check | result |
| ----- | ------ |
| types | ok     |
| tests | ok     |
`;

/** What a person does in the editor of a session; each test goes on where the one before it left the page. */
export function testEditor(stage: Stage): void {
  describe('the editor', () => {
    let session: Session;
    let person: BrowserContext;
    let workbench: Workbench;
    let link: string;
    let socketUrl: string;
    beforeAll(async () => {
      session = await stage.createSession({ 'hello.txt': 'from the agent\n', 'notes.md': notes });
      person = await stage.chromium.newResident();
    }, limitMs);

    test('is started by the first visit, which leaves a clean address', async () => {
      const page = await person.newPage();
      link = await stage.link(session.id, { place: 'editor' });
      // Not with the name of the page's own connection.
      page.once(
        'websocket',
        (socket) => (socketUrl = socket.url().replace(/(?<=Token=)[^&]+/, randomUUID())),
      );
      const first = await page.goto(link, { waitUntil: 'commit' });
      expect(first?.status()).toBe(503);
      await stage.keepScreenshot(page, 'starting');
      workbench = await Workbench.at(page);
      expect(page.url()).toMatch(new RegExp(`^${escaped(session.editorUrl)}(\\?folder=/workspace)?$`));
      await workbench.file('hello.txt').waitFor();
    });

    test('lets no page of another origin open a socket', async () => {
      await expectOwnSocketsAlone(workbench.page, socketUrl);
    });

    test('does not open by the same link again', async () => {
      const page = await stage.chromium.newPage();
      expect((await page.goto(link))?.status()).toBe(401);
      expect(await page.locator('body').textContent()).toContain('fairlead open');
      expect((await page.goto(session.editorUrl))?.status()).toBe(401);
    });

    test('shows what the agent writes, and saves what the agent reads', async () => {
      await workbench.openFile('hello.txt');
      expect(await workbench.text()).toContain('from the agent');
      await untilShown(workbench.page.locator('.view-line', { hasText: 'and again' }).first(), () =>
        stage.owner.run(session.id, 'echo and again >>hello.txt'),
      );
      await stage.owner.run(session.id, 'echo later >later.txt');
      await workbench.file('later.txt').waitFor();

      await workbench.replaceAndSave('from the person\n');
      const read = await stage.owner.run(session.id, 'until grep person hello.txt; do sleep 0.02; done');
      expect(read.content).toBe('from the person');
    });

    test('has terminals in the sandbox, which know the addresses of the apps', async () => {
      await workbench.openTerminal();
      const said = await workbench.type(
        'echo "$PWD $((6 * 7)) $APP_PORT_1"; echo "$APP_URL_1" >url',
        / 42 /m,
      );
      expect(said).toContain(`/workspace 42 ${session.apps[0]?.port}`);
      const { content } = await stage.owner.run(session.id, 'until [ -s url ]; do sleep 0.02; done; cat url');
      expect(content).toBe(session.apps[0]?.url);
    });

    test("comes with Fairlead's extension", async () => {
      await workbench.command('Fairlead: Show Connected Agents');
      const menu = workbench.page.locator('.quick-input-widget', { hasText: 'This window is not connected' });
      await menu.waitFor();
      await workbench.page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });
    });

    test('shows the preview of a Markdown file', async () => {
      await workbench.openFile('notes.md');
      const preview = await workbench.openPreview();
      await preview.locator('h1', { hasText: 'What the agent did' }).waitFor();
      await stage.keepScreenshot(workbench.page, 'workbench');
    });

    test('goes on in the same page when the gateway was restarted', async () => {
      await workbench.type('echo before', /^before$/m);
      await stage.restartGateway();
      await workbench.type('echo after', /^after$/m);
      await workbench.openFile('later.txt');
      await workbench.replaceAndSave('after the restart\n');
      const read = await stage.owner.run(session.id, 'until grep restart later.txt; do sleep 0.02; done');
      expect(read.content).toBe('after the restart');
    });

    test('is there again after it was killed, when the page is loaded anew', async () => {
      const killed = await stage.owner.run(
        session.id,
        "pkill -KILL -f -- '--socket=/run/fairlead/editor.soc[k]'; echo code $?",
      );
      expect(killed.content).toContain('code 0');
      await workbench.page.goto(session.editorUrl, { waitUntil: 'commit' });
      await workbench.ready();
      await workbench.file('later.txt').waitFor();
      await workbench.openTerminal();
      await workbench.type('echo $((40 + 2))', /^42$/m);
    });
  });
}

export function testTwoEditors(stage: Stage): void {
  describe('the editors of two sessions in one browser', () => {
    test('keep their own files, layout and cookies', async () => {
      const [one, other] = await Promise.all([
        stage.createSession({ 'one.txt': 'of the one\n' }),
        stage.createSession({ 'other.txt': 'of the other\n' }),
      ]);
      const person = await stage.chromium.newPerson();
      const first = await visit(stage, person, one);
      await first.openFile('one.txt');
      // Without the slash at the end of its path.
      const second = await visit(stage, person, other, (link) => link.replace('/?', '?'));
      expect(second.page.url().split('?')[0]).toBe(other.editorUrl);
      await second.openFile('other.txt');
      await first.command('View: Toggle Primary Side Bar Visibility');
      await first.page.locator('.part.sidebar').waitFor({ state: 'hidden' });
      await untilRemembered(first.page, 'workbench.sideBar.hidden', 'true');
      await untilRemembered(first.page, 'memento/workbench.parts.editor', 'one.txt');
      await untilRemembered(second.page, 'memento/workbench.parts.editor', 'other.txt');

      await Promise.all([first.page.reload(), second.page.reload()]);
      await first.page.locator('.tab[data-resource-name="one.txt"]').waitFor();
      await second.page.locator('.tab[data-resource-name="other.txt"]').waitFor();
      await second.file('other.txt').waitFor();
      expect(await first.page.locator('.part.sidebar').isVisible()).toBe(false);
      expect(await first.page.locator('.tab[data-resource-name="other.txt"]').count()).toBe(0);
      for (const { editorUrl, id } of [one, other]) {
        const names = (await person.cookies(editorUrl)).map(({ name }) => name);
        expect(names.filter((name) => name.includes('fairlead'))).toEqual([expect.stringContaining(id)]);
      }
    });
  });
}

async function visit(
  stage: Stage,
  person: BrowserContext,
  { id }: Session,
  entered: (link: string) => string = (link) => link,
): Promise<Workbench> {
  const page = await person.newPage();
  return Workbench.open(page, entered(await stage.link(id, { place: 'editor' })));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
