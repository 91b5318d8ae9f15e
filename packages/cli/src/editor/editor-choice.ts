import { basename, join } from 'node:path';
import { type SandboxEditor, standardPath } from '@fairlead/gateway';
import { type EditorProgram, findEditor, isProgram } from '@fairlead/sandbox/editor-program';
import { usageError } from '../cli-error.ts';
import { codeServerVersion, folderName } from './editor-version.ts';
import { editorProgram, findInstalledEditor, type InstalledEditor } from './installed-editor.ts';

/** What sessions of this machine can have as their web VS Code; without one they do without. */
export interface EditorChoice {
  /** By `fairlead editor install`. */
  installed: InstalledEditor | null;
  /** Where the shells of local sessions find it. */
  onMachine: EditorProgram | null;
  /** What local sessions get. */
  local: EditorProgram | null;
}

export function findEditors(stateDir: string): EditorChoice {
  const installed = findInstalledEditor(editorsDirectory(stateDir)) ?? null;
  const given = installed && {
    kind: installed.kind,
    command: [join(installed.directory, installed.program)],
    isFallback: true,
  };
  const { kind, command } = findEditor(given ?? undefined, standardPath) ?? {};
  return {
    installed,
    onMachine: findEditor(undefined, standardPath) ?? null,
    local: kind !== undefined && command !== undefined ? { kind, command } : null,
  };
}

export function editorsDirectory(stateDir: string): string {
  return join(stateDir, 'editors');
}

/** What is installed in the directory; where nothing is, what an installation will put there. */
export function editorOfDirectory(directory: string): SandboxEditor {
  const version = findInstalledEditor(directory)?.version ?? codeServerVersion;
  return { kind: 'code-server', directory, program: join(folderName(version), editorProgram) };
}

/** The program that an operator names; its name says which of the three it is. */
export function namedEditor(path: string): SandboxEditor {
  if (!isProgram(path)) throw usageError(`--editor ${path} is not a program; name the file that starts it.`);
  switch (basename(path)) {
    case 'code-server':
      return { kind: 'code-server', command: [path] };
    case 'openvscode-server':
      return { kind: 'openvscode-server', command: [path] };
    case 'code':
      return { kind: 'serve-web', command: [path, 'serve-web'] };
    default:
      throw usageError(
        `--editor ${path} is none that Fairlead knows; name the file of a code-server, an openvscode-server, or VS Code's own "code".`,
      );
  }
}
