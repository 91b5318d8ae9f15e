import type { EditorParams, EditorResult, EditorSymbol } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { openDocument } from './open-file.ts';
import { fileName, plainRange } from './places.ts';
import { type IsTold, toldOf } from './told.ts';

type Found = vscode.SymbolInformation | vscode.DocumentSymbol;

export async function readSymbols(
  uri: vscode.Uri | undefined,
  params: EditorParams<'vscode/symbols'>,
  isTold: IsTold,
): Promise<EditorResult<'vscode/symbols'>> {
  const found = uri === undefined ? await ofWorkspace(params.query ?? '', isTold) : await ofDocument(uri);
  const count = { left: params.limit };
  const symbols = found.flatMap((symbol) => plain(symbol, uri, count));
  return { symbols, isTruncated: count.left < 0 };
}

async function ofWorkspace(query: string, isTold: IsTold): Promise<Found[]> {
  const command = 'vscode.executeWorkspaceSymbolProvider';
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(command, query);
  return toldOf(found ?? [], ({ location }) => location.uri, isTold);
}

async function ofDocument(uri: vscode.Uri): Promise<Found[]> {
  await openDocument(uri);
  const command = 'vscode.executeDocumentSymbolProvider';
  return (await vscode.commands.executeCommand<Found[] | undefined>(command, uri)) ?? [];
}

function plain(symbol: Found, file: vscode.Uri | undefined, count: { left: number }): EditorSymbol[] {
  count.left -= 1;
  if (count.left < 0) return [];
  const location = 'location' in symbol ? symbol.location : undefined;
  const uri = location?.uri ?? file;
  const range = 'range' in symbol ? symbol.range : location?.range;
  if (uri === undefined || range === undefined) return [];
  const children: Found[] = 'children' in symbol ? symbol.children : [];
  return [
    {
      name: symbol.name,
      kind: vscode.SymbolKind[symbol.kind] ?? String(symbol.kind),
      detail: 'detail' in symbol ? symbol.detail : '',
      containerName: 'containerName' in symbol ? symbol.containerName : '',
      ...fileName(uri),
      range: plainRange(range),
      selectionRange: plainRange('selectionRange' in symbol ? symbol.selectionRange : range),
      children: children.flatMap((child) => plain(child, uri, count)),
    },
  ];
}
