import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { fileName, toPosition, toRange } from './places.ts';
import { RequestError } from './request-error.ts';

export async function openFile(
  uri: vscode.Uri,
  params: EditorParams<'vscode/openFile'>,
): Promise<EditorResult<'vscode/openFile'>> {
  const document = await openDocument(uri);
  const { selection, focus, preview } = params;
  await vscode.window.showTextDocument(document, {
    preserveFocus: !focus,
    preview,
    ...(selection && { selection: selected(selection) }),
  });
  return { ...fileName(document.uri), languageId: document.languageId, lineCount: document.lineCount };
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
