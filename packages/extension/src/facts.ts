import { randomUUID } from 'node:crypto';
import { actionArgs, editorRequestTypes, type WindowFacts } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { isInside } from './files/containment.ts';
import { pathOf } from './files/workspace-places.ts';
import type { Kept } from './kept.ts';

/** What the gateway and agents get to know of this window. */
export function windowFacts(
  context: vscode.ExtensionContext,
  keptId: Kept,
  openSessions: string[],
): WindowFacts {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const { version } = context.extension.packageJSON as { version: string };
  return {
    windowId: windowId(keptId),
    name: vscode.workspace.name ?? 'no folder',
    folders: folders.map(({ name, uri }) => {
      return { name, uri: uri.toString(), path: uri.scheme === 'file' ? uri.fsPath : null };
    }),
    vscodeVersion: vscode.version,
    extensionVersion: version,
    appName: vscode.env.appName,
    remoteName: vscode.env.remoteName ?? null,
    isTrusted: vscode.workspace.isTrusted,
    capabilities: [...Object.keys(actionArgs), 'list', 'upload', 'download', ...editorRequestTypes],
    openSessions,
  };
}

/** Calls back when what it answers may have changed. */
export function onFactsChange(changed: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
    vscode.workspace.onDidGrantWorkspaceTrust(changed),
  );
}

/** Where an agent begins: the folder of that path or around it, else the first. */
export function folderFor(wanted: string | null): string {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => pathOf(uri));
  const first = folders[0];
  if (first === undefined) throw new Error('This window has no folder open; open one, and try again.');
  if (wanted === null) return first;
  if (!folders.some((folder) => isInside(folder, wanted))) {
    throw new Error(`This window has no folder ${wanted}; it has ${folders.join(', ')}.`);
  }
  return wanted;
}

/** Made once for a workspace: a window that comes back is the same. */
function windowId(kept: Kept): string {
  const known = kept.get();
  if (typeof known === 'string') return known;
  const made = randomUUID();
  kept.set(made);
  return made;
}
