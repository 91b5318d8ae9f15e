import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Notice } from '../notices.ts';
import type { Agent } from '../sessions/agent.ts';
import { ActivityLog } from './activity-log.ts';
import { ActivityTree } from './activity-tree.ts';
import type { Activity } from './activity.ts';
import { AuditFile } from './audit-file.ts';
import { actionSubject, firstLine } from './describe-action.ts';
import { durationText, entryText } from './entry-text.ts';
import { redact } from './redact.ts';

export interface ActivityParts {
  context: vscode.ExtensionContext;
  output: vscode.LogOutputChannel;
}

export interface OpenActivity extends Activity, vscode.Disposable {
  /** `changed`: the command that the user put in the place of the agent's. */
  approval(agent: Agent, notice: Extract<Notice, { type: 'approval' }>, changed?: string): void;
  /** The command `fairlead.showAuditLog`. */
  showAuditLog(): Promise<void>;
}

/** Scheme of the documents that show one action. */
const documentScheme = 'fairlead-activity';

export function openActivity({ context, output }: ActivityParts): OpenActivity {
  const log = new ActivityLog((path) => vscode.workspace.asRelativePath(path));
  const tree = new ActivityTree(log);
  const documentChanges = new vscode.EventEmitter<vscode.Uri>();
  const audit = new AuditFile(vscode.Uri.joinPath(context.globalStorageUri, 'audit.jsonl').fsPath, (error) =>
    output.error(`The audit file could not be written: ${String(error)}`),
  );
  const changed = (actionId: string) => {
    tree.changed();
    documentChanges.fire(documentUri(actionId));
  };
  void vscode.commands.executeCommand('setContext', 'fairlead.isUsed', true);
  const workspace = vscode.workspace.name ?? null;
  const disposable = vscode.Disposable.from(
    tree,
    documentChanges,
    vscode.window.createTreeView('fairlead.activity', { treeDataProvider: tree, showCollapseAll: true }),
    vscode.workspace.registerTextDocumentContentProvider(documentScheme, {
      onDidChange: documentChanges.event,
      provideTextDocumentContent: ({ query }) => {
        const entry = log.find(query);
        return entry === undefined ? 'This action is not kept here any more.\n' : entryText(entry);
      },
    }),
    vscode.commands.registerCommand('fairlead.activity.open', (actionId: string) =>
      vscode.commands.executeCommand('vscode.open', documentUri(actionId), { preview: true }),
    ),
    vscode.commands.registerCommand('fairlead.activity.clear', () => {
      log.clear();
      tree.changed();
    }),
  );

  return {
    begin(scope) {
      const { agent, actionId, action } = scope;
      const who = { sessionId: agent.sessionId, agent: agent.name, owner: agent.owner, workspace, actionId };
      const entry = log.begin(scope);
      const startedMs = performance.now();
      output.info(`${agent.name}: ${redact(entry.label)}`);
      audit.add({
        time: entry.startedAt.toISOString(),
        type: 'action',
        ...who,
        action: action.action,
        subject: actionSubject(action).slice(0, mostSubject),
      });
      changed(actionId);
      return {
        end(observation) {
          log.end(entry, observation, performance.now() - startedMs);
          const exitCode =
            observation.observation === 'run' ? observation.extras.metadata.exit_code : undefined;
          audit.add({
            time: new Date().toISOString(),
            type: 'observation',
            ...who,
            observation: observation.observation,
            state: entry.state,
            exitCode,
            durationMs: Math.round(entry.durationMs ?? 0),
            error:
              observation.observation === 'error' ? observation.content.slice(0, mostSubject) : undefined,
          });
          const told = entry.state === 'failed' ? `: ${redact(firstLine(observation.content))}` : '';
          output.info(`${agent.name}: ${redact(entry.label)} ${entry.state}${durationText(entry)}${told}`);
          changed(actionId);
        },
      };
    },
    approval(agent, notice, changedCommand) {
      const { actionId, state, capability, reason } = notice;
      log.setWaiting(actionId, state === 'waiting');
      audit.add({
        time: new Date().toISOString(),
        type: 'approval',
        sessionId: agent.sessionId,
        agent: agent.name,
        workspace,
        actionId,
        capability,
        state,
        reason,
        command: changedCommand?.slice(0, mostSubject),
      });
      output.info(`${agent.name}: ${capability} ${state}${reason === null ? '' : ` (${redact(reason)})`}`);
      changed(actionId);
    },
    async showAuditLog() {
      await audit.flushed();
      if (existsSync(audit.path)) await vscode.window.showTextDocument(vscode.Uri.file(audit.path));
      else
        void vscode.window.showInformationMessage('No agent has done anything yet: the audit log is empty.');
    },
    dispose: () => disposable.dispose(),
  };
}

const mostSubject = 4096;

function documentUri(actionId: string): vscode.Uri {
  return vscode.Uri.from({ scheme: documentScheme, path: `/${actionId.slice(0, 8)}.log`, query: actionId });
}
