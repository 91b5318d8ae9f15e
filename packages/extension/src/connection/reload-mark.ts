import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type * as vscode from 'vscode';

/** A window that is loaded anew is back by then; one that comes later was closed, and is opened. */
const reloadMs = 60_000;

/** Written when the extension host ends with the window connected. A file: what VS Code keeps is not written in time. */
export function markReload(context: vscode.ExtensionContext): void {
  const path = markPath(context);
  if (path === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
}

/** Whether this window was connected a moment ago, and is being loaded anew. Told once. */
export function takeReloadMark(context: vscode.ExtensionContext): boolean {
  const path = markPath(context);
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || stats === undefined) return false;
  rmSync(path, { force: true });
  return Date.now() - stats.mtimeMs < reloadMs;
}

/** Of this workspace; there is none without a folder. */
function markPath({ storageUri }: vscode.ExtensionContext): string | undefined {
  return storageUri?.scheme === 'file' ? join(storageUri.fsPath, 'was-connected') : undefined;
}
