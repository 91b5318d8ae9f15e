import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { keptIn, type KeptState } from './kept.ts';

/**
 * What the extension remembers for this workspace, in files that are written at once: VS Code's own state would lose what
 * happened a moment before a reload, since a browser writes it down seconds later. All windows that show the workspace
 * share it; VS Code's directory for the workspace would be another one for each while the others are open.
 */
export function workspaceState(
  context: vscode.ExtensionContext,
  failed: (problem: string) => void = () => undefined,
): KeptState {
  const directory = workspaceDirectory(context);
  return directory === undefined ? untilVscodeForgets(context.workspaceState) : keptIn(directory, failed);
}

/** As URIs. */
export function shownFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
}

/** Undefined for a window that shows no folder. */
export function workspaceDirectory({ globalStorageUri }: vscode.ExtensionContext): string | undefined {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const shown = workspaceFile ?? workspaceFolders?.[0]?.uri;
  if (shown === undefined || globalStorageUri.scheme !== 'file') return undefined;
  const name = createHash('sha256').update(shown.toString()).digest('hex').slice(0, 32);
  return join(globalStorageUri.fsPath, 'workspaces', name);
}

function untilVscodeForgets(state: vscode.Memento): KeptState {
  return (name) => ({
    get: () => state.get(`fairlead.${name}`),
    set: (value) => void state.update(`fairlead.${name}`, value),
  });
}
