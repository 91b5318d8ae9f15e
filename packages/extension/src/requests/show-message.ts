import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { plainText } from '../consent/plain-text.ts';

/** The text says who speaks: nothing that a program sends looks as if VS Code or the user had said it. */
export async function showMessage(
  who: string,
  params: EditorParams<'vscode/showMessage'>,
): Promise<EditorResult<'vscode/showMessage'>> {
  const { message, level, buttons, modal, detail } = params;
  const options: vscode.MessageOptions = { modal, ...(detail !== undefined && { detail }) };
  const shown = show[level](plainText(`${message} (${who})`), options, ...buttons);
  if (buttons.length === 0 && !modal) return { button: null };
  return { button: (await shown) ?? null };
}

const show = {
  info: (text: string, options: vscode.MessageOptions, ...buttons: string[]) =>
    vscode.window.showInformationMessage(text, options, ...buttons),
  warning: (text: string, options: vscode.MessageOptions, ...buttons: string[]) =>
    vscode.window.showWarningMessage(text, options, ...buttons),
  error: (text: string, options: vscode.MessageOptions, ...buttons: string[]) =>
    vscode.window.showErrorMessage(text, options, ...buttons),
};
