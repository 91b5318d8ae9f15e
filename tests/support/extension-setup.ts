import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { isWindowSuite } from './editor-suites.ts';
import { installExtension } from './install-extension.ts';
import { isCodeServerPrepared, prepareCodeServer } from './prepare-code-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of our extension as it is installed; empty where there is no editor to install it with. */
    fairleadExtension: string;
  }
}

/** The extension is packaged and installed once for all suites that have windows. */
export async function setup({ vitest, provide }: TestProject): Promise<(() => void) | undefined> {
  const isWanted = vitest.state.getPaths().some(isWindowSuite) && isCodeServerPrepared();
  if (!isWanted) {
    provide('fairleadExtension', '');
    return undefined;
  }
  const { directory: installed, program } = await prepareCodeServer();
  const directory = mkdtempSync(join(tmpdir(), 'fairlead-extension-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    provide('fairleadExtension', await installExtension([join(installed, program)], directory));
    return remove;
  } catch (error) {
    remove();
    throw new Error(`The extension cannot be packaged: ${(error as Error).message}`, { cause: error });
  }
}
