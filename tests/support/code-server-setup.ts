import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { missingNeeds } from '../../scripts/machine-needs.mjs';
import { codeServerTags } from './code-server.ts';
import { isEditorSuite } from './editor-suites.ts';
import { isCodeServerPrepared } from './prepare-code-server.ts';

const program = fileURLToPath(new URL('compile-code-server.ts', import.meta.url));

/** On a machine without the editor: compiles it first, because suites with time limits share the processor badly. */
export async function setup({ vitest }: TestProject): Promise<void> {
  if (!vitest.state.getPaths().some(isEditorSuite) || isCodeServerPrepared()) return;
  if (missingNeeds().some(({ name }) => codeServerTags.includes(name))) return;
  const child = spawn(process.execPath, ['--no-warnings', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'close');
}
