import { join } from 'node:path';
import { installExtension } from '../../tests/support/install-extension.ts';
import { launchChromium, newContext } from '../../tests/support/launch-chromium.ts';
import { prepareCodeServer } from '../../tests/support/prepare-code-server.ts';
import type { VscodeWindow } from '../../tests/window/support/vscode-window.ts';
import { WindowStage } from '../../tests/window/support/window-stage.ts';

export interface BenchWindows {
  /** In a folder of its own. */
  open(files: Record<string, string>): Promise<VscodeWindow>;
}

/** Real windows of a code-server with the extension as users install it. Nobody is asked for anything in them. */
export async function useBenchWindows<Result>(
  work: (windows: BenchWindows) => Promise<Result>,
): Promise<Result> {
  const { directory, program } = await prepareCodeServer();
  const codeServer = [join(directory, program)];
  const browser = await launchChromium([]);
  try {
    const stage = await WindowStage.start({
      codeServer,
      searchPath: process.env.PATH ?? '',
      settings: { 'fairlead.consent.run': 'allow' },
      extension: (place) => installExtension(codeServer, place),
    });
    try {
      const person = await newContext(browser);
      return await work({ open: (files) => stage.open(person, { files }) });
    } finally {
      await stage.close();
    }
  } finally {
    await browser.close();
  }
}
