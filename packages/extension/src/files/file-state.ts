import { FileError } from '@fairlead/executor';
import * as vscode from 'vscode';
import { isCaseSensitive } from './containment.ts';
import { isReadAsUtf8, readByEditor } from './editor-encoding.ts';
import type { Place } from './workspace-places.ts';

/** What an agent finds at a place. */
export type FileState =
  | { kind: 'missing' }
  /** The user has typed and not saved. */
  | { kind: 'unsaved'; document: vscode.TextDocument; text: string; served: Uint8Array }
  | {
      kind: 'saved';
      document: vscode.TextDocument | undefined;
      bytes: Uint8Array;
      /** As the agent gets it: the bytes themselves, or in UTF-8 what VS Code reads from them in another encoding. */
      served: Uint8Array;
      /** As VS Code reads it; undefined for what it could not read, or not write back whole. */
      text: string | undefined;
    };

export async function readState(place: Place): Promise<FileState> {
  const document = openDocument(place);
  if (document?.isDirty) {
    const text = document.getText();
    return { kind: 'unsaved', document, text, served: Buffer.from(text) };
  }
  // Not from the document: what a command wrote a moment ago has not reached it yet.
  const bytes = await place.saved.readFile(place.path).catch(missing);
  if (bytes === undefined) return { kind: 'missing' };
  const text = await readByEditor(place.uri, document, bytes);
  const served = text === undefined || isReadAsUtf8(place.uri, document, bytes) ? bytes : Buffer.from(text);
  return { kind: 'saved', document, bytes, served, text };
}

/** The same as in the state, and no text is made of it where none is needed. */
export async function readServed(place: Place, limitBytes: number): Promise<Uint8Array> {
  const document = openDocument(place);
  if (document?.isDirty) return Buffer.from(document.getText()).subarray(0, limitBytes);
  const bytes = await place.saved.readFile(place.path, limitBytes);
  if (bytes.length >= limitBytes || isReadAsUtf8(place.uri, document, bytes)) return bytes;
  const text = await readByEditor(place.uri, document, bytes);
  return text === undefined ? bytes : Buffer.from(text);
}

export function isSame(left: FileState, right: FileState): boolean {
  if (left.kind === 'missing' || right.kind === 'missing') return left.kind === right.kind;
  return Buffer.compare(left.served, right.served) === 0;
}

export function openDocument({ uri, realUri }: Place): vscode.TextDocument | undefined {
  const names = new Set([uri, realUri].map(folded));
  const open = vscode.workspace.textDocuments.filter(
    (document) => !document.isClosed && names.has(folded(document.uri)),
  );
  return open.find(({ isDirty }) => isDirty) ?? open[0];
}

function folded(uri: vscode.Uri): string {
  return isCaseSensitive || uri.scheme !== 'file' ? uri.toString() : uri.toString().toLowerCase();
}

function missing(error: unknown): undefined {
  if (!(error instanceof FileError) || error.code !== 'not-found') throw error;
}
