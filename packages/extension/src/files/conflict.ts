import { FileError } from '@fairlead/executor';
import * as vscode from 'vscode';
import { openDocument } from './file-state.ts';
import type { Place } from './workspace-places.ts';

export function changedMeanwhile(path: string): FileError {
  return new FileError(
    'conflict',
    path,
    `Conflict: ${path} was changed by somebody else while this action was on its way. Nothing was written. Read it again, then repeat the change.`,
  );
}

export function unseenChanges(path: string): FileError {
  return new FileError(
    'conflict',
    path,
    `Conflict: the user has unsaved changes in ${path} that you have not seen, and this would replace them. Nothing was written. Read it again, then repeat the change.`,
  );
}

/** Notebooks and the like are edited elsewhere than in a text; what is unsaved there cannot be seen, or joined. */
export function refuseOtherEditor(place: Place): void {
  if (openDocument(place)?.isDirty) return;
  const names = [place.uri.toString(), place.realUri.toString()];
  const isUnsaved = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ isDirty, input }) => isDirty && hasUri(input) && names.includes(input.uri.toString()));
  if (!isUnsaved) return;
  throw new FileError(
    'conflict',
    place.path,
    `Conflict: the user has unsaved changes in ${place.path}, in an editor that is not for text. Nothing was written. Ask the user to save it first.`,
  );
}

function hasUri(input: unknown): input is { uri: vscode.Uri } {
  return input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom;
}
