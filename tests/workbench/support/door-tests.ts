import type { Session } from '@fairlead/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from './stage.ts';

/** Who does not get in. */
export function testDoor(stage: Stage): void {
  describe('a place', () => {
    let session: Session;
    beforeAll(async () => {
      session = await stage.createSession({ 'secret.txt': 'of the owner\n' });
    }, 60_000);

    test('is not there for a person of another tenant', async () => {
      const tenant = await stage.chromium.newPerson();
      const page = await tenant.newPage();
      const { json } = await stage.other.call('POST', '/api/tickets');
      await page.goto(`${stage.url}/login?ticket=${String(json['ticket'])}`);
      const cookies = await tenant.cookies(`${stage.url}/`);
      expect(cookies.map(({ name }) => name)).toEqual([expect.stringMatching(/^(__Host-)?fairlead$/)]);
      for (const url of [session.editorUrl, ...session.apps.map((app) => app.url)]) {
        expect((await page.goto(url))?.status()).toBe(404);
        expect(await page.locator('h1').textContent()).toBe('There is no such session');
      }
      await stage.keepScreenshot(page, 'not-found');
    });
  });
}
