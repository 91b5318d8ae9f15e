import * as vscode from 'vscode';
import { plainText } from '../../consent/plain-text.ts';
import type { Question } from './question.ts';

export interface OpenInput {
  /** Undefined when it was closed without an answer: put aside, not answered. */
  answer: Promise<string | string[] | boolean | undefined>;
  close(): void;
}

/** One question in VS Code's input at the top of the window. It stays when the focus moves elsewhere. */
export function openInput(question: Question): OpenInput {
  return question.kind === 'input' ? textInput(question) : picker(question);
}

function textInput(question: Question): OpenInput {
  const input = vscode.window.createInputBox();
  input.title = titleOf(question);
  input.prompt = plainText(question.message);
  input.placeholder = question.placeholder;
  input.password = question.isPassword;
  if (typeof question.default === 'string') input.value = question.default;
  return opened(input, () => input.value);
}

function picker(question: Question): OpenInput {
  const input = vscode.window.createQuickPick();
  const isMany = question.kind === 'multiPick';
  input.title = titleOf(question);
  input.placeholder = plainText(question.message);
  input.canSelectMany = isMany;
  input.matchOnDescription = true;
  input.items = question.kind === 'confirm' ? [{ label: 'Yes' }, { label: 'No' }] : question.choices;
  const preset = input.items.filter(({ label }) => isPreset(question, label));
  if (isMany) input.selectedItems = preset;
  else input.activeItems = preset;
  return opened(input, () => {
    const labels = input.selectedItems.map(({ label }) => label);
    if (isMany) return labels;
    if (labels[0] === undefined) return undefined;
    return question.kind === 'confirm' ? labels[0] === 'Yes' : labels[0];
  });
}

function opened(
  input: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>,
  read: () => string | string[] | boolean | undefined,
): OpenInput {
  input.ignoreFocusOut = true;
  const answer = new Promise<string | string[] | boolean | undefined>((resolve) => {
    input.onDidAccept(() => {
      const value = read();
      // Enter with nothing chosen: wait on.
      if (value === undefined) return;
      resolve(value);
      input.hide();
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
  });
  input.show();
  return { answer, close: () => input.hide() };
}

function titleOf({ who }: Question): string {
  return `${who} asks`;
}

function isPreset({ kind, default: preset }: Question, label: string): boolean {
  if (kind === 'confirm') return preset === (label === 'Yes');
  return Array.isArray(preset) ? preset.includes(label) : preset === label;
}
