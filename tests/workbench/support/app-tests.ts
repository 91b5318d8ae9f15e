import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@fairlead/protocol';
import type { BrowserContext } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from './stage.ts';

const limitMs = 60_000;

/** What a person sees of the apps that the agent starts. */
export function testApps(stage: Stage): void {
  describe('an app', () => {
    let session: Session;
    let person: BrowserContext;
    beforeAll(async () => {
      session = await stage.createSession({ 'index.html': '<title>app</title><a href="next.html">on</a>' });
      writeFileSync(join(stage.workspaceOf(session.id), 'next.html'), '<h1>The next page</h1>');
      person = await stage.chromium.newResident();
    }, limitMs);

    test('is waited for by its page, and shown when it is up', async () => {
      const page = await person.newPage();
      const first = await page.goto(await stage.link(session.id, { place: 'app', number: 1 }));
      expect(first?.status()).toBe(503);
      await stage.keepScreenshot(page, 'waiting');
      await stage.owner.run(
        session.id,
        'python3 -m http.server --bind 127.0.0.1 $APP_PORT_1 >server.log 2>&1 &',
      );
      await page.locator('a', { hasText: 'on' }).click({ timeout: limitMs });
      await page.locator('h1', { hasText: 'The next page' }).waitFor({ timeout: limitMs });
      expect(page.url()).toBe(`${session.apps[0]?.url}next.html`);
    });

    test('that was given away opens for whoever has the link, and nothing else does', async () => {
      const link = await stage.link(session.id, {
        place: 'app',
        number: 1,
        share: { expiresInSeconds: 600 },
      });
      const guest = await stage.chromium.newPerson();
      const page = await guest.newPage();
      expect((await page.goto(link))?.status()).toBe(200);
      expect(page.url()).toBe(session.apps[0]?.url);
      expect((await page.goto(session.apps[1]!.url))?.status()).toBe(401);
      expect((await page.goto(session.editorUrl))?.status()).toBe(401);
    });
  });
}
