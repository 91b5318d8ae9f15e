import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { abandonedPrefix, removeAbandoned } from './abandoned.ts';
import { checkBuildNeeds } from './build-needs.ts';
import { codeServerVersion, folderName, nodeVersion } from './editor-version.ts';
import { editorProgram, findInstalledEditor, type InstalledEditor } from './installed-editor.ts';
import { makePortable } from './make-portable.ts';
import { prune } from './prune.ts';
import { runStep } from './run-step.ts';

export interface InstallOptions {
  /** For editors of all versions. */
  directory: string;
  onProgress(line: string): void;
  signal?: AbortSignal;
}

/** Installs the web VS Code, once: all of it or nothing. Rejects with a `CliError`. */
export async function installEditor({
  directory,
  onProgress,
  signal,
}: InstallOptions): Promise<InstalledEditor> {
  const target = join(directory, folderName(codeServerVersion));
  if (!existsSync(join(target, editorProgram))) {
    await checkBuildNeeds();
    await removeAbandoned(directory);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const attempt = await mkdtemp(join(directory, abandonedPrefix()));
    try {
      await build(attempt, onProgress, signal);
      await putInPlace(attempt, target);
    } finally {
      await rm(attempt, { recursive: true, force: true });
    }
  }
  const installed = findInstalledEditor(directory);
  if (installed === undefined) throw new CliError(`The editor in ${target} was removed by somebody else.`);
  return installed;
}

async function build(
  directory: string,
  onProgress: InstallOptions['onProgress'],
  signal: AbortSignal | undefined,
): Promise<void> {
  const node = join(directory, 'node_modules', `node-linux-${process.arch}`);
  const vscode = join(directory, 'node_modules', 'code-server', 'lib', 'vscode');
  // Without it npm looks for a project in the folders above.
  await writeFile(join(directory, 'package.json'), '{ "private": true }\n');
  await npm(`Downloading code-server ${codeServerVersion} and Node ${nodeVersion}`, directory, [
    'install',
    '--ignore-scripts',
    `code-server@${codeServerVersion}`,
    `node-linux-${process.arch}@${nodeVersion}`,
  ]);
  await npm('Preparing its libraries', directory, ['rebuild', '--ignore-scripts=false', 'argon2']);
  const compile = ['install', '--omit=dev', '--ignore-scripts=false'];
  await npm('Compiling the native parts of VS Code; this takes some minutes', vscode, compile);
  await npm('Installing the extensions of VS Code', join(vscode, 'extensions'), compile);
  onProgress('Removing what is not needed to run it');
  await prune(directory);
  await makePortable(directory, node);
  await runStep({
    name: 'Trying it',
    command: [join(directory, 'bin', 'node'), '--eval', loadNativeParts(vscode)],
    cwd: directory,
    onProgress,
    signal,
  });

  function npm(name: string, cwd: string, args: string[]): Promise<void> {
    // With the Node that it will run on, and compiled against its headers.
    const script = 'PATH=$0/bin:$PATH npm_config_nodedir=$0 JOBS=max exec npm "$@" --no-audit --no-fund';
    return runStep({ name, command: ['sh', '-c', script, node, ...args], cwd, onProgress, signal });
  }
}

/** A version of npm that does not run install scripts has left them out. */
function loadNativeParts(vscode: string): string {
  const names = ['@vscode/native-watchdog', '@vscode/spdlog', '@vscode/sqlite3', 'node-pty'];
  const paths = names.map((name) => join(vscode, 'node_modules', name));
  return `for (const path of ${JSON.stringify(paths)}) require(path)`;
}

async function putInPlace(attempt: string, target: string): Promise<void> {
  try {
    await rename(attempt, target);
  } catch (error) {
    // Somebody else was faster, with the same.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
