import * as vscode from 'vscode';
import type { Approval } from './approval.ts';
import { notificationText } from './notification-text.ts';

/**
 * A notification that is there as long as the approval waits. VS Code lets an extension withdraw only the notification of
 * a progress, and that has one button: it rejects, and the other choices are links.
 */
export function notifyOfApproval(approval: Approval, rejected: () => void): vscode.Disposable {
  let withdraw: (() => void) | undefined;
  const withdrawn = new Promise<void>((resolve) => (withdraw = resolve));
  void vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: notificationText(approval),
      cancellable: buttonLabel,
    },
    (_progress, token) => {
      token.onCancellationRequested(rejected);
      return withdrawn;
    },
  );
  return new vscode.Disposable(() => withdraw?.());
}

// VS Code takes a label where its types say boolean. Where it should not, the button says "Cancel".
const buttonLabel = 'Reject' as unknown as true;
