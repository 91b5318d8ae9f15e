import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Stage } from './stage.ts';
import { untilShown } from './until-shown.ts';
import { copyVite, viteCommand, vitePage, viteScript } from './vite-app.ts';

const limitMs = 60_000;

export function testDevelopmentServer(stage: Stage): void {
  test('a development server that knows its path changes the page that is open while the agent writes', async () => {
    const { id } = await stage.createSession({});
    copyVite(stage.workspaceOf(id));
    const write = (name: string, text: string) =>
      writeFileSync(join(stage.workspaceOf(id), 'site', name), text);
    await stage.owner.run(id, 'mkdir site');
    write('index.html', vitePage);
    write('shown.js', viteScript('first'));
    await stage.owner.run(id, viteCommand);
    // Its own words, where it did not start.
    const started = await stage.owner.run(
      id,
      'until grep -m 1 -E "ready in|rror" vite.log; do sleep 0.1; done',
    );
    expect(started.content).toContain('ready in');
    const page = await stage.chromium.newPage();
    page.setDefaultTimeout(limitMs);
    const link = await stage.link(id, { place: 'app', number: 2 });
    // It is told of changes when its socket stands.
    await Promise.all([
      page.waitForEvent('console', (message) => message.text().includes('[vite] connected')),
      page.goto(link),
    ]);
    await page.locator('#shown', { hasText: 'first' }).waitFor();
    await page.evaluate('window.isSamePage = true');
    await untilShown(page.locator('#shown', { hasText: 'second' }), () => {
      write('shown.js', viteScript('second'));
    });
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    await stage.keepScreenshot(page, 'app');
  });
}
