import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { otherColumn } from '../other-column.ts';
import { fileName, toPosition, toRange } from './places.ts';
import { RequestError } from './request-error.ts';

export async function openFile(
  uri: vscode.Uri,
  params: EditorParams<'vscode/openFile'>,
): Promise<EditorResult<'vscode/openFile'>> {
  const document = await openDocument(uri);
  const { focus, preview } = params;
  const selection = params.selection && selected(params.selection);
  const options = { preview, ...(selection && { selection }) };
  if (focus) await vscode.window.showTextDocument(document, options);
  else await showBeside(document, options);
  return { ...fileName(document.uri), languageId: document.languageId, lineCount: document.lineCount };
}

/** Without touching what the user is in: neither its place nor, where it is this very file, its cursor. */
async function showBeside(
  document: vscode.TextDocument,
  options: { preview: boolean; selection?: vscode.Range },
): Promise<void> {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  if (activeTextEditor?.document === document) {
    const { selection } = options;
    if (selection !== undefined)
      activeTextEditor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return;
  }
  const visible = visibleTextEditors.find((editor) => editor.document === document);
  const viewColumn = visible?.viewColumn ?? otherColumn();
  await vscode.window.showTextDocument(document, { ...options, viewColumn, preserveFocus: true });
}

/** The document of a file, which need not be in a tab for that. */
export async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    const { path } = fileName(uri);
    throw new RequestError('not_found', `${path} cannot be opened: ${(error as Error).message}`);
  }
}

function selected(selection: NonNullable<EditorParams<'vscode/openFile'>['selection']>): vscode.Range {
  if ('start' in selection) return toRange(selection);
  const place = toPosition(selection);
  return new vscode.Range(place, place);
}
