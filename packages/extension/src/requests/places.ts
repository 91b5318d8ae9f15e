import type { EditorLocation, EditorPosition, EditorRange } from '@fairlead/protocol';
import * as vscode from 'vscode';

// Between VS Code's own objects and the plain ones of the protocol.

export function toPosition({ line, character }: EditorPosition): vscode.Position {
  return new vscode.Position(line, character);
}

export function toRange({ start, end }: EditorRange): vscode.Range {
  return new vscode.Range(toPosition(start), toPosition(end));
}

export function plainPosition({ line, character }: vscode.Position): EditorPosition {
  return { line, character };
}

export function plainRange({ start, end }: vscode.Range): EditorRange {
  return { start: plainPosition(start), end: plainPosition(end) };
}

/** How a file is named in results: its path where it is on a disk, else the path in its own file system. */
export function fileName(uri: vscode.Uri): { path: string; uri: string } {
  return { path: uri.scheme === 'file' ? uri.fsPath : uri.path, uri: uri.toString() };
}

export function plainLocation(found: vscode.Location | vscode.LocationLink): EditorLocation {
  return 'targetUri' in found
    ? {
        ...fileName(found.targetUri),
        range: plainRange(found.targetSelectionRange ?? found.targetRange),
      }
    : { ...fileName(found.uri), range: plainRange(found.range) };
}
