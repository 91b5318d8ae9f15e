import { join } from 'node:path';
import { beforeAll } from 'vitest';
import type { SandboxEditor } from '@fairlead/gateway';
import { editorOfDirectory } from '../../packages/cli/src/editor/editor-choice.ts';
import type { InstalledEditor } from '../../packages/cli/src/editor/installed-editor.ts';
import { missingNeeds } from '../../scripts/machine-needs.mjs';
import { codeServerDirectory, prepareCodeServer } from './prepare-code-server.ts';

/** What a suite that uses a real web VS Code needs of the machine. */
export const codeServerTags = ['g++', 'make', 'pkg-config', 'krb5-config', 'python3'];

/** For a suite that was started where `code-server-setup.ts` did not see it coming. */
const codeServerTimeoutMs = 20 * 60_000;

/** A real code-server, as Fairlead installs it. For the body of a `describe` that carries `codeServerTags`. */
export function useCodeServer(): { readonly editor: SandboxEditor; readonly command: string[] } {
  let installed: InstalledEditor;
  beforeAll(async () => {
    // Its suites are skipped; hooks around them are not.
    if (missingNeeds().some(({ name }) => codeServerTags.includes(name))) return;
    installed = await prepareCodeServer();
  }, codeServerTimeoutMs);
  return {
    get editor() {
      return editorOfDirectory(codeServerDirectory);
    },
    get command() {
      return [join(installed.directory, installed.program)];
    },
  };
}
