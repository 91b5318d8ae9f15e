import * as vscode from 'vscode';
import { reviewScheme } from './review-files.ts';

/** Address of the document that the user may change in this tab; undefined for all other tabs. */
export function reviewedUri(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input: unknown = tab?.input;
  const uri =
    input instanceof vscode.TabInputTextDiff
      ? input.modified
      : input instanceof vscode.TabInputText
        ? input.uri
        : undefined;
  return uri?.scheme === reviewScheme ? uri : undefined;
}

export function findReviewTabs(uri: vscode.Uri): vscode.Tab[] {
  return reviewTabs((reviewed) => isSame(reviewed, uri));
}

/** Without a question about unsaved changes, and without moving the focus. */
export async function closeReviewTabs(isWanted: (uri: vscode.Uri) => boolean): Promise<void> {
  for (const tab of reviewTabs(isWanted)) await openDocument(reviewedUri(tab))?.save();
  // A tab that the user closed meanwhile is not found any more.
  await vscode.window.tabGroups.close(reviewTabs(isWanted), true);
}

/** The text as the user sees it, saved or not; undefined when no tab has shown it. */
export function shownText(uri: vscode.Uri): string | undefined {
  return openDocument(uri)?.getText();
}

/** Where a review is seen and takes neither the place nor the focus of what the user works with. */
export function reviewColumn(): vscode.ViewColumn {
  const { activeTabGroup } = vscode.window.tabGroups;
  const open = reviewTabs(() => true).find(({ group }) => group !== activeTabGroup);
  if (open !== undefined) return open.group.viewColumn;
  const isFree = activeTabGroup.activeTab === undefined;
  return isFree ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside;
}

export function isSame(one: vscode.Uri | undefined, other: vscode.Uri | undefined): boolean {
  return one?.toString() === other?.toString();
}

function reviewTabs(isWanted: (uri: vscode.Uri) => boolean): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter((tab) => {
      const uri = reviewedUri(tab);
      return uri !== undefined && isWanted(uri);
    });
}

function openDocument(uri: vscode.Uri | undefined): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => isSame(document.uri, uri));
}
