import * as vscode from 'vscode';
import type { OpenActivity } from '../activity/open-activity.ts';
import type { Kept } from '../kept.ts';
import type { Notices } from '../notices.ts';
import type { Agent } from '../sessions/agent.ts';
import type { Approval } from './approval.ts';
import { ApprovalCommands } from './approval-commands.ts';
import { notifyOfApproval } from './approval-notification.ts';
import type { Consent } from './consent.ts';
import { ConsentDesk } from './desk.ts';
import { Grants } from './grants.ts';
import { plainText } from './plain-text.ts';
import { approvalTimeoutSeconds, consentSetting } from './read-settings.ts';
import { resetPermissions } from './reset-permissions.ts';
import { ReviewFiles } from './review-files.ts';
import { Reviews } from './reviews.ts';
import { WaitingView } from './waiting-view.ts';

export interface ConsentParts {
  /** Where grants outlive a reload of the window: with the extension, nowhere in the workspace. */
  grants: Kept;
  activity: OpenActivity;
  notices: Notices;
}

export interface OpenConsent extends Consent, vscode.Disposable {
  /** Approvals that wait for the user. */
  readonly waitingCount: number;
  readonly onDidChangeWaiting: vscode.Event<number>;
  /** Forgets what was allowed for this session: call it when the session has ended for good. */
  endSession(sessionId: string): void;
  /** Takes away what the session asks, without an answer. */
  withdraw(sessionId: string): void;
  /** The command `fairlead.resetPermissions`. */
  resetPermissions(): Promise<void>;
}

/** Disposal does not answer what waits: after a reload of the window the action asks again. */
export function openConsent({ grants: keptGrants, activity, notices }: ConsentParts): OpenConsent {
  const grants = new Grants(keptGrants);
  const waitingChanges = new vscode.EventEmitter<number>();
  const hintedSessions = new Set<string>();
  const desk: ConsentDesk = new ConsentDesk({
    settingOf: consentSetting,
    isTrusted: () => vscode.workspace.isTrusted,
    timeoutSeconds: approvalTimeoutSeconds,
    grants,
    present: (approval) =>
      vscode.Disposable.from(
        reviews.present(approval),
        notifyOfApproval(approval, () => rejectSilently(approval)),
      ),
    changedText: (approval) => reviews.changedText(approval),
    tell: (agent, notice, changed) => {
      activity.approval(agent, notice, changed);
      notices.send(agent, notice);
    },
    changed: () => {
      view.changed();
      commands.changed();
      const count = desk.list().length;
      void vscode.commands.executeCommand('setContext', 'fairlead.waitingApprovals', count);
      waitingChanges.fire(count);
    },
    untrusted: (agent) => {
      if (hintedSessions.has(agent.sessionId)) return;
      hintedSessions.add(agent.sessionId);
      void hintAtTrust(agent);
    },
  });
  const rejectSilently = ({ id }: Approval) => desk.answer(id, { kind: 'reject', reason: '' });
  const reviews = new Reviews(new ReviewFiles(), rejectSilently);
  const commands = new ApprovalCommands(desk, reviews);
  const view = new WaitingView(() => desk.list());
  const disposable = vscode.Disposable.from(
    commands,
    view,
    reviews,
    waitingChanges,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('fairlead.consent')) desk.reconsider();
    }),
  );

  return {
    run: async (scope, request) => {
      const outcome = await desk.pass(scope, { kind: 'run', ...request });
      if (outcome.kind !== 'allowed') return outcome;
      const { changed } = outcome;
      return { kind: 'allowed', command: changed ?? request.command, isChanged: changed !== undefined };
    },
    edit: async (scope, { uri, before, after }) => {
      const path = vscode.workspace.asRelativePath(uri);
      const outcome = await desk.pass(scope, { kind: 'edit', uri: uri.toString(), path, before, after });
      if (outcome.kind !== 'allowed') return outcome;
      const { changed } = outcome;
      return { kind: 'allowed', text: changed ?? after, isChanged: changed !== undefined };
    },
    ask: async (scope, { capability, title, detail = '' }) => {
      const outcome = await desk.pass(scope, { kind: 'ask', capability, title, detail });
      return outcome.kind === 'allowed' ? { kind: 'allowed' } : outcome;
    },
    get waitingCount() {
      return desk.list().length;
    },
    onDidChangeWaiting: waitingChanges.event,
    endSession: (sessionId) => {
      hintedSessions.delete(sessionId);
      grants.endSession(sessionId);
    },
    withdraw: (sessionId) => desk.withdraw(sessionId),
    resetPermissions: () => resetPermissions(grants),
    dispose: () => disposable.dispose(),
  };
}

async function hintAtTrust(agent: Agent): Promise<void> {
  const manage = 'Manage Workspace Trust';
  const picked = await vscode.window.showWarningMessage(
    `${plainText(agent.name)} can only read here, because this folder is not trusted.`,
    manage,
  );
  if (picked === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}
