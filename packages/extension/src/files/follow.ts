import * as vscode from 'vscode';
import { otherColumn } from '../other-column.ts';

/**
 * Shows what an agent touches, where the user wants that: beside the editor that they are in, never in its place, and without
 * taking the focus. Nobody waits for it, and what cannot be shown is not shown.
 */
export function follow(uri: vscode.Uri): void {
  if (!vscode.workspace.getConfiguration('fairlead').get('follow', false)) return;
  void show(uri).catch(() => undefined);
}

async function show(uri: vscode.Uri): Promise<void> {
  const isVisible = vscode.window.visibleTextEditors.some(
    ({ document }) => document.uri.toString() === uri.toString(),
  );
  if (isVisible) return;
  const document = await vscode.workspace.openTextDocument(uri);
  const viewColumn = otherColumn();
  await vscode.window.showTextDocument(document, { viewColumn, preview: true, preserveFocus: true });
}
