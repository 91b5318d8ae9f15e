/** The names alone, for those who need not load what checks the parameters. */
export const editorRequestTypes = [
  'vscode/openFile',
  'vscode/showDiff',
  'vscode/diagnostics',
  'vscode/symbols',
  'vscode/definition',
  'vscode/references',
  'vscode/rename',
  'vscode/openEditors',
  'vscode/showMessage',
  'vscode/ask',
  'vscode/executeCommand',
  'vscode/progress',
  'vscode/chat',
  'vscode/getChatHistory',
] as const;

export type EditorRequestType = (typeof editorRequestTypes)[number];

export function isEditorRequestType(type: string): type is EditorRequestType {
  return (editorRequestTypes as readonly string[]).includes(type);
}
