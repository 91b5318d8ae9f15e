import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export const chromiumStartTimeoutMs = 60_000;

/** Debian's, without anything that would call home. */
export function launchChromium(args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    timeout: chromiumStartTimeoutMs,
    args: [
      // Tests run as root too, for which it has no sandbox.
      '--no-sandbox',
      '--disable-gpu',
      // So that terminals are made of text, which can be read.
      '--disable-3d-apis',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });
}

/** Whose pages share cookies and storage, with nobody else's. */
export function newContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
}
