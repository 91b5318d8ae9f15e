import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { openDocument } from './open-file.ts';
import { plainLocation, toPosition } from './places.ts';
import { type IsTold, toldOf } from './told.ts';

type Found = (vscode.Location | vscode.LocationLink)[] | undefined;

export async function findDefinition(
  uri: vscode.Uri,
  { position, kind }: EditorParams<'vscode/definition'>,
  isTold: IsTold,
): Promise<EditorResult<'vscode/definition'>> {
  const found = await ask(providers[kind], { uri, position: toPosition(position), isTold });
  return { locations: found.map(plainLocation) };
}

export async function findReferences(
  uri: vscode.Uri,
  { position, limit }: EditorParams<'vscode/references'>,
  isTold: IsTold,
): Promise<EditorResult<'vscode/references'>> {
  const found = await ask('vscode.executeReferenceProvider', {
    uri,
    position: toPosition(position),
    isTold,
  });
  const shown = found.slice(0, limit).map(plainLocation);
  const lines = new Lines();
  const locations = [];
  for (const location of shown)
    locations.push({ ...location, text: await lines.of(location.uri, location.range.start.line) });
  return { locations, isTruncated: found.length > limit };
}

const providers = {
  definition: 'vscode.executeDefinitionProvider',
  typeDefinition: 'vscode.executeTypeDefinitionProvider',
  declaration: 'vscode.executeDeclarationProvider',
  implementation: 'vscode.executeImplementationProvider',
} as const;

async function ask(
  provider: string,
  { uri, position, isTold }: { uri: vscode.Uri; position: vscode.Position; isTold: IsTold },
): Promise<(vscode.Location | vscode.LocationLink)[]> {
  await openDocument(uri);
  const found = (await vscode.commands.executeCommand<Found>(provider, uri, position)) ?? [];
  return toldOf(found, (place) => ('targetUri' in place ? place.targetUri : place.uri), isTold);
}

/** Single lines of files, each of which is opened once. */
class Lines {
  readonly #documents = new Map<string, Promise<vscode.TextDocument | undefined>>();

  async of(uri: string, line: number): Promise<string> {
    let document = this.#documents.get(uri);
    if (document === undefined) {
      document = Promise.resolve(vscode.workspace.openTextDocument(vscode.Uri.parse(uri))).catch(
        () => undefined,
      );
      this.#documents.set(uri, document);
    }
    const text = await document;
    return text !== undefined && line < text.lineCount ? text.lineAt(line).text.slice(0, 1000) : '';
  }
}
