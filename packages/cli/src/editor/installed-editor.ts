import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeServerVersion, folderName } from './editor-version.ts';

export interface InstalledEditor {
  kind: 'code-server';
  version: string;
  /** Runs at any place in any Linux of this architecture, so a sandbox can have it mounted read-only. */
  directory: string;
  /** What starts it, in the directory. */
  program: typeof editorProgram;
}

export const editorProgram = 'bin/code-server';

/** The editor in Fairlead's own folder: the version that this Fairlead installs, else the newest there is. */
export function findInstalledEditor(directory: string): InstalledEditor | undefined {
  const versions = installedVersions(directory);
  const version = versions.includes(codeServerVersion) ? codeServerVersion : versions.at(-1);
  if (version === undefined) return undefined;
  return {
    kind: 'code-server',
    version,
    directory: join(directory, folderName(version)),
    program: editorProgram,
  };
}

/** Oldest first. */
export function installedVersions(directory: string): string[] {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter((name) => existsSync(join(directory, name, editorProgram)))
    .flatMap((name) => /^code-server-(\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? [])
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}
