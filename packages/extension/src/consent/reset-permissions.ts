import * as vscode from 'vscode';
import type { Grant, Grants } from './grants.ts';
import { plainText } from './plain-text.ts';

/** Lets the user take back what was allowed for longer than one action. */
export async function resetPermissions(grants: Grants): Promise<void> {
  const items = grants.list().map((grant) => ({ label: described(grant), grant, picked: true }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage('No agent has a lasting permission in this workspace.');
    return;
  }
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: 'Reset Permissions',
    placeHolder: 'What should ask again?',
  });
  if (picked === undefined) return;
  grants.revoke(picked.map(({ grant }) => grant));
  void vscode.window.showInformationMessage(
    `Asks again from now on: ${picked.map(({ label }) => label).join('; ')}.`,
  );
}

function described(grant: Grant): string {
  return grant.reach === 'workspace'
    ? `${grant.capability}: every agent, in this workspace`
    : `${grant.capability}: ${plainText(grant.agentName)}, for its session`;
}
