import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** Debian's Chromium, without anything that would call home. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'.split(
      ' ',
    ),
  });
  onTestFinished(() => browser.close());
  return browser;
}
