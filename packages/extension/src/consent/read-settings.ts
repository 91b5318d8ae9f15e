import * as vscode from 'vscode';
import type { Capability } from './consent.ts';
import { effectiveSetting, type ConsentSetting } from './policy.ts';

/** The strictest of what the user, the workspace and each of its folders say. */
export function consentSetting(capability: Capability): ConsentSetting {
  const key = `consent.${capability}`;
  const folderValues = (vscode.workspace.workspaceFolders ?? []).map(
    ({ uri }) => vscode.workspace.getConfiguration('fairlead', uri).inspect(key)?.workspaceFolderValue,
  );
  return effectiveSetting({ ...vscode.workspace.getConfiguration('fairlead').inspect(key), folderValues });
}

const defaultTimeoutSeconds = 600;

export function approvalTimeoutSeconds(): number {
  const seconds = vscode.workspace.getConfiguration('fairlead').get<unknown>('approval.timeoutSeconds');
  return typeof seconds === 'number' && seconds > 0 ? seconds : defaultTimeoutSeconds;
}

/** From the user's settings alone: a workspace cannot add to them. */
export function allowedCommandPatterns(): string[] {
  const levels = vscode.workspace.getConfiguration('fairlead').inspect<unknown>('commands.allowed');
  const patterns = levels?.globalValue ?? levels?.defaultValue;
  return Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === 'string') : [];
}
