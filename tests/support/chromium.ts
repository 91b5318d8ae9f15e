import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { missingNeeds } from '../../scripts/machine-needs.mjs';
import { keepScreenshot } from './keep-screenshot.ts';
import { chromiumStartTimeoutMs, launchChromium, newContext } from './launch-chromium.ts';

/** What a suite that uses a browser needs of the machine. */
export const chromiumTags = ['chromium'];

export interface Chromium {
  /** Pages of one person share cookies and storage. Until the test is over. */
  newPerson(): Promise<BrowserContext>;
  /** Until the suite is over. */
  newResident(): Promise<BrowserContext>;
  /** Of a person of its own. */
  newPage(): Promise<Page>;
}

/** A real Chromium. For the body of a `describe` that carries `chromiumTags`. */
export function useChromium(args: string[] = []): Chromium {
  let browser: Browser | undefined;
  beforeAll(async () => {
    // Its suites are skipped; hooks around them are not.
    if (missingNeeds().some(({ name }) => chromiumTags.includes(name))) return;
    browser = await launchChromium(args);
  }, chromiumStartTimeoutMs);
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || browser === undefined) return;
    const pages = browser.contexts().flatMap((context) => context.pages());
    // What failed is told, whether or not there is a picture of it.
    const keep = (page: Page, index: number) => keepScreenshot(page, `failed ${task.name} ${index}`);
    await Promise.allSettled(pages.map(keep));
  });
  afterAll(() => browser?.close());
  return {
    newPerson: () => newPerson(browser!),
    newResident: () => newContext(browser!),
    newPage: async () => (await newPerson(browser!)).newPage(),
  };
}

async function newPerson(browser: Browser): Promise<BrowserContext> {
  const person = await newContext(browser);
  onTestFinished(() => person.close());
  return person;
}
