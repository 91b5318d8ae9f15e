import type { FileHost } from '@fairlead/executor';
import type { SandboxFiles } from '@fairlead/sandbox/server';
import * as vscode from 'vscode';
import type { Activity } from '../activity/activity.ts';
import type { Consent } from '../consent/consent.ts';
import type { Notices } from '../notices.ts';
import type { Agent } from '../sessions/agent.ts';
import { OwnChanges } from './own-changes.ts';
import { watchChanges } from './changes.ts';
import { VscodeFileHost } from './vscode-file-host.ts';
import { WindowFiles } from './window-files.ts';
import { WorkspacePlaces } from './workspace-places.ts';

/** The workspace's files as agents use them. */
export interface WorkspaceFiles {
  /** One for all agents of the window, so that two who change one file wait for each other. Use it inside `inAction`. */
  readonly host: FileHost;
  /** What the server of a session lists, stores and sends; relative paths start in `folder`. Nothing is done after `closed`. */
  filesOf(agent: Agent, folder: string, closed: AbortSignal): SandboxFiles;
  /** The file that an absolute or relative path, or a URI, stands for. Rejects where it is outside the workspace. */
  uriOf(path: string, folder: string): Promise<vscode.Uri>;
  /** Whether agents may be told of a document: it is really in the workspace, also with every link followed. */
  holds(uri: vscode.Uri): Promise<boolean>;
  /** What VS Code reports of these files while `work` runs is the agent's own doing, and not told to it. */
  changedBy<Value>(agent: Agent, uris: vscode.Uri[], work: () => Promise<Value>): Promise<Value>;
  /** Tells the agent what others do to the files of the workspace, until it is disposed. */
  watch(agent: Agent): vscode.Disposable;
}

export interface FilesParts {
  consent: Consent;
  activity: Activity;
  notices: Notices;
}

export function openFiles({ consent, activity, notices }: FilesParts): WorkspaceFiles {
  const places = new WorkspacePlaces();
  const own = new OwnChanges();
  const host = new VscodeFileHost({ places, consent, own });
  return {
    host,
    filesOf: (agent, folder, closed) => new WindowFiles({ agent, folder, places, consent, activity, closed }),
    uriOf: (path, folder) => places.uriOf(path, folder),
    holds: (uri) => places.reallyHolds(uri),
    changedBy: (agent, uris, work) => own.by(agent.sessionId, uris, work),
    watch: (agent) =>
      vscode.Disposable.from(
        watchChanges({ agent, places, own, tell: (notice) => notices.send(agent, notice) }),
        { dispose: () => host.forget(agent.sessionId) },
      ),
  };
}
