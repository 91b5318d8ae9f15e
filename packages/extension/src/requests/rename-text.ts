import * as vscode from 'vscode';
import type { RenamePlan } from './rename.ts';

/** What a renaming would change, for the user to read: each line of each file as it is and as it would be. */
export function renameText({ files }: RenamePlan): string {
  return files
    .map(({ uri, edits, text }) => [vscode.workspace.asRelativePath(uri), ...changedLines(text, edits)])
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function changedLines(text: string, edits: vscode.TextEdit[]): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  const starts = new Set(edits.map(({ range }) => range.start.line));
  return [...starts]
    .toSorted((one, other) => one - other)
    .flatMap((line) => {
      const here = edits.filter(({ range }) => range.start.line === line);
      const last = Math.max(...here.map(({ range }) => range.end.line));
      const before = lines.slice(line, last + 1).join('\n');
      return [`${line + 1}: - ${before}`, `${line + 1}: + ${edited(before, line, here)}`];
    });
}

/** The last edit first, so that the places of the others stay. */
function edited(before: string, firstLine: number, edits: vscode.TextEdit[]): string {
  const offset = ({ line, character }: vscode.Position) =>
    before.split('\n', line - firstLine).reduce((sum, { length }) => sum + length + 1, 0) + character;
  return edits
    .toSorted((one, other) => other.range.start.compareTo(one.range.start))
    .reduce(
      (text, { range, newText }) =>
        text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end)),
      before,
    );
}
