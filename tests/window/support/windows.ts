import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { missingNeeds } from '../../../scripts/machine-needs.mjs';
import { Place } from '../../gateway/support/place.ts';
import { chromiumTags, useChromium } from '../../support/chromium.ts';
import { codeServerTags, useCodeServer } from '../../support/code-server.ts';
import { installExtension } from '../../support/install-extension.ts';
import type { VscodeWindow } from './vscode-window.ts';
import { type OpenOptions, type WindowsOptions, WindowStage } from './window-stage.ts';

/**
 * Real VS Code windows: one code-server with our extension and one Chromium for a suite file; a window is a page, and
 * takes a few seconds. Everything is ended and removed after the suite. For example:
 *
 *     describe('an agent in a window', windowNeeds, () => {
 *       const windows = useWindows({ settings: { 'fairlead.consent.run': 'allow' } });
 *
 *       test('runs commands where the person sees them', async () => {
 *         const { owner } = await windows.place.start();                     // a gateway, in this process
 *         const window = await windows.open({ files: { 'a.txt': 'one\n' } }); // closed after the test
 *         await window.connect(owner);
 *         const { id } = await owner.create({ driver: 'window', labels: { agent: 'Ada' } });
 *         const ran = await owner.run(id, 'cat a.txt');
 *         expect(ran.content).toBe('one');
 *         await window.terminal('Ada').show();
 *         await window.terminal('Ada').shows(/^one$/m);
 *         // With the real API, in the extension host; only JSON goes in and out:
 *         const names = await window.evaluate((vscode) => vscode.window.terminals.map(({ name }) => name));
 *         await window.clickNotification(/wants to run/, 'Run');
 *         await window.runCommand('Fairlead: Disconnect');                    // by the list of commands
 *         await window.reload();
 *         await window.screenshot('a name');                                  // node_modules/.cache/fairlead/screenshots
 *       });
 *     });
 *
 * A gateway that can be killed: `windows.place.spawn({ port: await freePort() })`, then `kill()`, and `spawn` again with
 * the same port. A window that several tests share: `windows.open({ until: 'suite' })` in `beforeAll`.
 */
export const windowNeeds = { tags: [...codeServerTags, ...chromiumTags], timeout: 300_000 };

export interface Windows {
  /** For gateways. */
  readonly place: Place;
  /** What code-server keeps, with `User/settings.json` and `User/globalStorage`. */
  readonly userDataDir: string;
  /** Until the test is over, or the suite. Without a person it is the suite's one person who opens it. */
  open(options?: OpenOptions & { person?: BrowserContext; until?: 'test' | 'suite' }): Promise<VscodeWindow>;
  /** A folder with files, by path. */
  folder(files: Record<string, string>): string;
  /** Somebody else: pages of one person share what VS Code keeps in the browser, such as keys. */
  newPerson(): Promise<BrowserContext>;
}

const hookTimeoutMs = 120_000;

/** For the body of a `describe` that carries `windowNeeds`. */
export function useWindows(options: WindowsOptions = {}): Windows {
  const codeServer = useCodeServer();
  const chromium = useChromium();
  const place = new Place();
  const left: VscodeWindow[] = [];
  let stage: WindowStage | undefined;
  let resident: BrowserContext;

  beforeAll(async () => {
    // Its suites are skipped; hooks around them are not.
    if (missingNeeds().some(({ name }) => windowNeeds.tags.includes(name))) return;
    const { command } = codeServer;
    stage = await WindowStage.start({
      ...options,
      codeServer: command,
      searchPath: process.env.PATH ?? '',
      extension: async (directory) => inject('fairleadExtension') || installExtension(command, directory),
    });
    resident = await chromium.newResident();
  }, hookTimeoutMs);

  afterAll(async () => {
    try {
      await Promise.all(left.map((window) => window.close()));
      await place.end();
    } finally {
      await stage?.close();
    }
  }, hookTimeoutMs);

  return {
    place,
    get userDataDir() {
      return stage!.userDataDir;
    },
    async open({ person = resident, until = 'test', ...wanted } = {}) {
      const window = await stage!.open(person, wanted);
      if (until === 'suite') left.push(window);
      else onTestFinished(() => window.close(), hookTimeoutMs);
      return window;
    },
    folder: (files) => stage!.folder(files),
    newPerson: () => chromium.newPerson(),
  };
}
