import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const screenshots = fileURLToPath(
  new URL('../../node_modules/.cache/fairlead/screenshots/', import.meta.url),
);

const screenshotTries = 5;

/** Kept where a person can look at it after the run. */
export async function keepScreenshot(page: Page, name: string): Promise<string> {
  mkdirSync(screenshots, { recursive: true });
  const path = join(screenshots, `${name.replaceAll(/\W+/g, '-')}.png`);
  for (let triesLeft = screenshotTries; ; triesLeft -= 1) {
    try {
      await page.screenshot({ path });
      return path;
    } catch (error) {
      // Not of a page that gives way to another just then.
      if (triesLeft === 0) throw error;
    }
  }
}
