import type { EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { fileName, plainRange } from './places.ts';
import { type IsTold, toldOf } from './told.ts';

const mostSelectedCharacters = 16_384;

export async function readOpenEditors(isTold: IsTold): Promise<EditorResult<'vscode/openEditors'>> {
  const uris = await toldOf(openUris(), (uri) => uri, isTold);
  const active = await toldEditor(isTold);
  const activeUri = active?.document.uri.toString();
  const visible = new Set(vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString()));
  const files = uris.map((uri) => ({
    ...fileName(uri),
    isActive: uri.toString() === activeUri,
    isVisible: visible.has(uri.toString()),
    isDirty: isDirty(uri),
  }));
  return { files, active: active === undefined ? null : plain(active) };
}

async function toldEditor(isTold: IsTold): Promise<vscode.TextEditor | undefined> {
  const active = vscode.window.activeTextEditor;
  if (active === undefined || !isFile(active.document.uri)) return undefined;
  return (await isTold(active.document.uri)) ? active : undefined;
}

function plain({
  document,
  selection,
  visibleRanges,
}: vscode.TextEditor): EditorResult<'vscode/openEditors'>['active'] {
  return {
    ...fileName(document.uri),
    languageId: document.languageId,
    selection: plainRange(selection),
    selectedText: document.getText(selection).slice(0, mostSelectedCharacters),
    visibleRange: plainRange(visibleRanges[0] ?? selection),
  };
}

/** One for each file, in the order of the tabs. */
function openUris(): vscode.Uri[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs.flatMap(({ input }) => {
    if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook) return [input.uri];
    if (input instanceof vscode.TabInputTextDiff) return [input.modified];
    return [];
  });
  return [...new Map(uris.filter(isFile).map((uri) => [uri.toString(), uri])).values()];
}

/** Output channels and the like are editors too, but nothing a person has open. */
function isFile({ scheme }: vscode.Uri): boolean {
  return scheme !== 'output' && scheme !== 'debug' && !scheme.startsWith('fairlead-');
}

function isDirty(uri: vscode.Uri): boolean {
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  return document?.isDirty ?? false;
}
