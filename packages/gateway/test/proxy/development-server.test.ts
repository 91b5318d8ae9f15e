import { describe, expect, it } from 'vitest';
import { openBrowser } from './support/browser.ts';
import { prefix, startFront } from './support/front.ts';
import { startVite } from './support/vite.ts';

describe('a development server with hot reload', { tags: ['chromium'] }, () => {
  it.each([
    ['that was told of its path', `${prefix}/`, { prefixMode: 'learned' as const }],
    ['on a host of its own', '/', { prefix: '', prefixMode: 'learned' as const }],
  ])('%s changes the page that is open', { timeout: 60_000 }, async (_which, base, rules) => {
    const vite = await startVite(base);
    const front = await startFront(
      { address: { host: '127.0.0.1', port: vite.port } },
      { rules: { ...rules, host: `localhost:${vite.port}` } },
    );
    const browser = await openBrowser();
    const page = await browser.newPage();
    const heardOfVite = page.waitForEvent('console', (message) =>
      message.text().includes('[vite] connected'),
    );
    await page.goto(front.url);
    const shown = page.locator('#shown');
    await expect.poll(() => shown.textContent(), { timeout: 20_000 }).toBe('first');
    await page.evaluate('window.isSamePage = true');
    // It is told of changes when its socket stands.
    await expect.poll(() => front.sockets(), { timeout: 20_000 }).toBe(1);
    await heardOfVite;
    await vite.write('second');
    await expect.poll(() => shown.textContent(), { timeout: 20_000 }).toBe('second');
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });
});
