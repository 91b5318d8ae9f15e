import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const packageProgram = fileURLToPath(
  new URL('../../packages/extension/scripts/package.mjs', import.meta.url),
);

/** Packages our extension for this machine and installs it as users do; answers the folder that it is in then. */
export async function installExtension(codeServer: string[], directory: string): Promise<string> {
  const [program = '', ...args] = codeServer;
  await run(process.execPath, [packageProgram, '--out', directory]);
  const extensions = join(directory, 'extensions');
  await run(program, [
    ...args,
    '--config=/dev/null',
    `--user-data-dir=${join(directory, 'data')}`,
    `--extensions-dir=${extensions}`,
    `--install-extension=${join(directory, onlyVsix(directory))}`,
  ]);
  const [installed] = readdirSync(extensions).filter((name) => name.startsWith('fairlead.'));
  return join(extensions, installed!);
}

function onlyVsix(directory: string): string {
  return readdirSync(directory).find((name) => name.endsWith('.vsix'))!;
}
