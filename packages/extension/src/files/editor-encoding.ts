import { isAscii, isUtf8 } from 'node:buffer';
import * as vscode from 'vscode';

/** Since VS Code 1.100; older ones do not tell how they read a file. */
interface EncodingApi {
  decode(content: Uint8Array, options: { uri: vscode.Uri } | { encoding: string }): Thenable<string>;
}

/** Longer files are no documents for extensions. */
const longestDocumentBytes = 50 * 1024 * 1024;

/** Whether VS Code, by its settings, takes these bytes for what they are as UTF-8. */
export function isReadAsUtf8(
  uri: vscode.Uri,
  document: vscode.TextDocument | undefined,
  bytes: Uint8Array,
): boolean {
  if (isAscii(bytes)) return true;
  return isUtf8(bytes) && encodingOf(uri, document).startsWith('utf8');
}

/** The text of a file as VS Code reads it; undefined where it is no text, or not all of it could be written back. */
export async function readByEditor(
  uri: vscode.Uri,
  document: vscode.TextDocument | undefined,
  bytes: Uint8Array,
): Promise<string | undefined> {
  if (bytes.length > longestDocumentBytes || bytes.subarray(0, 8192).includes(0)) return undefined;
  if (isReadAsUtf8(uri, document, bytes)) return new TextDecoder().decode(bytes);
  const { decode } = vscode.workspace as Partial<EncodingApi>;
  if (decode === undefined) return undefined;
  const how = document === undefined ? { uri } : { encoding: encodingOf(uri, document) };
  const text = await Promise.resolve(decode(bytes, how)).catch(() => undefined);
  return text?.includes('\ufffd') ? undefined : text;
}

function encodingOf(
  uri: vscode.Uri,
  document: (vscode.TextDocument & { encoding?: string }) | undefined,
): string {
  return document?.encoding ?? vscode.workspace.getConfiguration('files', uri).get('encoding') ?? 'utf8';
}
