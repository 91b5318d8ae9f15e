import { FileError } from '@fairlead/executor';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { changedMeanwhile } from './conflict.ts';
import { type FileState, openDocument } from './file-state.ts';
import { withinDeadline } from './deadline.ts';
import { textChanges } from './text-changes.ts';
import type { Place } from './workspace-places.ts';

/** What is to be in the file: as bytes for the disk, and as text for the editor where it is text. */
export interface Wanted {
  bytes: Uint8Array;
  text: string | undefined;
  isChanged: boolean;
}

interface ApplyOptions {
  createParents: boolean;
  deadlineMs: number;
  signal: AbortSignal;
}

const reloadTimeoutMs = 2_000;

/** Makes the file hold what is wanted, as an edit where it can be one. Answers with what the agent has to know. */
export async function applyText(
  place: Place,
  state: FileState,
  wanted: Wanted,
  options: ApplyOptions,
): Promise<string[]> {
  await refuseUnwritable(place, state);
  if (wanted.text === undefined || (state.kind === 'saved' && state.text === undefined))
    return write(place, wanted.bytes, options);
  if (state.kind === 'missing') return create(place, wanted, options);
  const text = state.text!;
  const document = await documentWith(place, state, text);
  if (document === undefined) return write(place, wanted.bytes, options);
  await edit(document, text, wanted.text, place.path);
  if (state.kind === 'unsaved' && !savesUnsaved(place.uri)) return [leftUnsaved(place.path)];
  return save(document, place.path, options);
}

/** Past the editor: for what is no document, or would not be the same after VS Code had written it. */
async function write(place: Place, bytes: Uint8Array, { createParents }: ApplyOptions): Promise<string[]> {
  if (openDocument(place)?.isDirty) throw changedMeanwhile(place.path);
  await place.saved.writeFile(place.path, bytes, { createParents });
  return [];
}

async function create(place: Place, wanted: Wanted, options: ApplyOptions): Promise<string[]> {
  const { path, uri, saved } = place;
  // A document whose file is gone still has its old text; it takes the new one from the disk.
  if (openDocument(place) !== undefined) return write(place, wanted.bytes, options);
  if (!options.createParents) await saved.stat(dirname(path));
  const creation = new vscode.WorkspaceEdit();
  creation.createFile(uri, { overwrite: false, ignoreIfExists: false });
  const text = vscode.TextEdit.insert(new vscode.Position(0, 0), wanted.text!);
  const lineEnds = isWindowsText(wanted.text!) ? [vscode.TextEdit.setEndOfLine(vscode.EndOfLine.CRLF)] : [];
  creation.set(uri, [text, ...lineEnds]);
  if (!(await vscode.workspace.applyEdit(creation)))
    throw new FileError(
      'other',
      path,
      `VS Code could not create ${path}. Check that its directory can be written.`,
    );
  return save(await vscode.workspace.openTextDocument(uri), path, options);
}

/** The document with exactly this text; undefined where there cannot be one. */
async function documentWith(
  place: Place,
  state: Exclude<FileState, { kind: 'missing' }>,
  text: string,
): Promise<vscode.TextDocument | undefined> {
  if (state.kind === 'unsaved') return state.document;
  const open = state.document ?? vscode.workspace.openTextDocument(place.uri);
  const document = await Promise.resolve(open).catch(() => undefined);
  if (document === undefined || document.getText() === text) return document;
  // One kind of line ends in place of several: VS Code would change lines that nobody touched.
  if (withPlainLineEnds(document.getText()) === withPlainLineEnds(text)) return undefined;
  return (await becomes(document, text)) ? document : undefined;
}

/** A command changed the file a moment ago, and the editor is about to notice. */
async function becomes(document: vscode.TextDocument, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isSo: boolean) => {
      clearTimeout(timer);
      listener.dispose();
      resolve(isSo);
    };
    const timer = setTimeout(() => end(false), reloadTimeoutMs);
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && document.getText() === text) end(!document.isDirty);
    });
  });
}

async function edit(
  document: vscode.TextDocument,
  before: string,
  after: string,
  path: string,
): Promise<void> {
  const lineEnd = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  const changes = textChanges(before, after.replaceAll(/\r\n|\r|\n/g, lineEnd));
  if (changes.length === 0) return;
  const edits = new vscode.WorkspaceEdit();
  for (const { start, end, text } of changes) {
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edits.replace(document.uri, range, text);
  }
  // VS Code refuses it when the document has another version by then.
  if (!(await vscode.workspace.applyEdit(edits))) throw changedMeanwhile(path);
}

async function save(
  document: vscode.TextDocument,
  path: string,
  { deadlineMs, signal }: ApplyOptions,
): Promise<string[]> {
  const isSaved = await withinDeadline(Promise.resolve(document.save()), { deadlineMs, signal });
  return isSaved || !document.isDirty ? [] : [notSaved(path)];
}

async function refuseUnwritable({ path, realUri, isOnDisk }: Place, state: FileState): Promise<void> {
  if (!isOnDisk || state.kind === 'missing') return;
  await access(realUri.fsPath, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return;
    throw new FileError(
      error.code === 'EROFS' ? 'read-only' : 'no-permission',
      path,
      `Permission denied: ${path} may not be written. Choose another path, or change its mode or owner in the shell.`,
    );
  });
}

function savesUnsaved(uri: vscode.Uri): boolean {
  return vscode.workspace.getConfiguration('fairlead', uri).get('edits.saveDirty', false);
}

/** What the agent spells out holds before the setting for new files. */
function isWindowsText(text: string): boolean {
  return text.split('\r\n').length > text.split(/(?<!\r)\n/).length;
}

function withPlainLineEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

function leftUnsaved(path: string): string {
  return `The user has unsaved changes in ${path}, so your edit was made in the editor beside them and not saved. Until the user saves it, commands see the file as it was.`;
}

function notSaved(path: string): string {
  return `Your edit was made in the editor, but ${path} could not be saved. Commands see the file as it was; the user has been told why.`;
}
