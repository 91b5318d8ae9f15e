import type { SessionNotice } from '@fairlead/protocol';
import * as vscode from 'vscode';
import type { Agent } from '../sessions/agent.ts';
import type { OwnChanges } from './own-changes.ts';
import { pathOf, type WorkspacePlaces } from './workspace-places.ts';

type ChangeNotice = Extract<SessionNotice, { type: 'change' }>;

/**
 * Tells what the user, or another agent, does to files of the workspace in this window. What programs do to the disk is not
 * told: VS Code does not know whose program it was, and most of them are the agent's own.
 */
export function watchChanges({
  agent,
  places,
  own,
  tell,
}: {
  agent: Agent;
  places: WorkspacePlaces;
  own: OwnChanges;
  tell(notice: ChangeNotice): void;
}): vscode.Disposable {
  const isOthers = (uri: vscode.Uri) => places.holds(uri) && !own.isBy(agent.sessionId, uri);
  const tellOne = (change: ChangeNotice['change'], uri: vscode.Uri, newUri?: vscode.Uri) =>
    tell({
      type: 'change',
      change,
      path: pathOf(uri),
      newPath: newUri === undefined ? null : pathOf(newUri),
    });
  return vscode.Disposable.from(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (isOthers(uri)) tellOne('saved', uri);
    }),
    vscode.workspace.onDidCreateFiles(({ files }) => {
      for (const uri of files.filter(isOthers)) tellOne('created', uri);
    }),
    vscode.workspace.onDidDeleteFiles(({ files }) => {
      for (const uri of files.filter(isOthers)) tellOne('deleted', uri);
    }),
    vscode.workspace.onDidRenameFiles(({ files }) => {
      for (const { oldUri, newUri } of files) {
        const [left, came] = [isOthers(oldUri), isOthers(newUri)];
        // A path that is not in the workspace is nothing for the agent to know.
        if (left && came) tellOne('renamed', oldUri, newUri);
        else if (left) tellOne('deleted', oldUri);
        else if (came) tellOne('created', newUri);
      }
    }),
  );
}
