import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { isCommandAllowed } from '../consent/allowed-commands.ts';
import { RequestError } from './request-error.ts';
import { fromJson, toJson } from './vscode-values.ts';

/** Before anybody is asked: a command that is not on the user's list is never run. */
export function checkCommand(command: string, allowed: readonly string[]): void {
  if (isCommandAllowed(allowed, command)) return;
  throw new RequestError(
    'denied',
    `The command ${command} is not in the setting "fairlead.commands.allowed" of this VS Code window. The user can add it there.`,
  );
}

export async function executeCommand({
  command,
  args,
}: EditorParams<'vscode/executeCommand'>): Promise<EditorResult<'vscode/executeCommand'>> {
  const values = args.map((value, index) => fromJson(value, `args.${index}`));
  return { result: toJson(await vscode.commands.executeCommand(command, ...values)) };
}
