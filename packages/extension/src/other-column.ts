import * as vscode from 'vscode';

/**
 * Where something is shown to somebody who is at work: in an empty window the first column, else one in which the user is
 * not. An editor that opens in the place of the one that has the focus would get it, whatever it is told.
 */
export function otherColumn(): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  if (activeTabGroup.tabs.length === 0) return activeTabGroup.viewColumn;
  return all.find((group) => group !== activeTabGroup)?.viewColumn ?? vscode.ViewColumn.Beside;
}
