import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { openDocument } from './open-file.ts';
import { fileName, toPosition } from './places.ts';
import { RequestError } from './request-error.ts';
import { type IsTold, toldOf } from './told.ts';

export interface RenamePlan {
  files: PlannedFile[];
}

interface PlannedFile {
  uri: vscode.Uri;
  edits: vscode.TextEdit[];
  /** What the edits were made for. */
  text: string;
}

/** What would change. Nothing is changed yet. */
export async function planRename(
  uri: vscode.Uri,
  { position, newName }: EditorParams<'vscode/rename'>,
  isTold: IsTold,
): Promise<RenamePlan> {
  await openDocument(uri);
  const textsBefore = new Map(
    vscode.workspace.textDocuments.map((document) => [document.uri.toString(), document.getText()]),
  );
  const command = 'vscode.executeDocumentRenameProvider';
  const edit = await vscode.commands
    .executeCommand<vscode.WorkspaceEdit | undefined>(command, uri, toPosition(position), newName)
    .then(undefined, (error: Error) => {
      throw new RequestError('not_found', `There is nothing to rename here: ${error.message}`);
    });
  if (edit === undefined) throw nothingToRename(uri, position);
  const entries = edit.entries();
  refuseOtherThanText(edit, entries);
  if (entries.length === 0) throw nothingToRename(uri, position);
  await refuseOutside(
    entries.map(([file]) => file),
    isTold,
  );
  const files = entries.map(async ([file, edits]) => {
    const text = textsBefore.get(file.toString()) ?? (await openDocument(file)).getText();
    return { uri: file, edits, text };
  });
  return { files: await Promise.all(files) };
}

/** Files that had no unsaved changes of the user are saved; the others stay unsaved, so that the user decides. */
export async function applyRename({ files }: RenamePlan): Promise<EditorResult<'vscode/rename'>> {
  const documents = await Promise.all(files.map(({ uri }) => openDocument(uri)));
  for (const [index, { uri, text }] of files.entries())
    if (documents[index]!.getText() !== text) throw changedMeanwhile(fileName(uri).path);
  const wasClean = documents.map((document) => !document.isDirty);
  // Made anew from what was shown, so that nothing else can be in it.
  const edit = new vscode.WorkspaceEdit();
  for (const { uri, edits } of files) edit.set(uri, edits);
  if (!(await vscode.workspace.applyEdit(edit))) throw changedMeanwhile('a file');
  const renamed = [];
  for (const [index, { uri, edits }] of files.entries()) {
    const isSaved = wasClean[index] === true && (await documents[index]!.save());
    renamed.push({ ...fileName(uri), edits: edits.length, isSaved });
  }
  return { files: renamed };
}

/** `entries` and `size` tell of changes of text only; what else an edit does to files stands in what VS Code itself reads. */
function refuseOtherThanText(edit: vscode.WorkspaceEdit, entries: [vscode.Uri, vscode.TextEdit[]][]): void {
  const all = (edit as { _allEntries?(): readonly unknown[] })._allEntries?.();
  const textEdits = entries.reduce((sum, [, edits]) => sum + edits.length, 0);
  if (all === undefined || all.length === textEdits) return;
  throw new RequestError(
    'failed',
    'This renaming would also create, move or delete files, which cannot be shown to the user for approval. Nothing was changed. Rename the symbol and the files by separate edits.',
  );
}

async function refuseOutside(files: vscode.Uri[], isTold: IsTold): Promise<void> {
  const inside = await toldOf(files, (file) => file, isTold);
  const outside = files.find((file) => !inside.includes(file));
  if (outside === undefined) return;
  throw new RequestError(
    'denied',
    `Outside the workspace: this renaming would change ${fileName(outside).path}. Nothing was changed.`,
  );
}

function changedMeanwhile(what: string): RequestError {
  return new RequestError(
    'failed',
    `Conflict: ${what} was changed while the renaming waited for the user. Nothing was renamed. Ask for it again.`,
  );
}

function nothingToRename(
  uri: vscode.Uri,
  { line, character }: { line: number; character: number },
): RequestError {
  const place = `${fileName(uri).path}, line ${line}, character ${character} (both from 0)`;
  return new RequestError('not_found', `No language extension can rename what stands at ${place}.`);
}
