import type { EditorRequest } from '@fairlead/protocol';

/** What a request wants, to stand after the name of who asks. */
export function wish({ type, params }: EditorRequest): string {
  switch (type) {
    case 'vscode/openFile':
      return `open ${params.path}`;
    case 'vscode/showDiff':
      return 'show a comparison';
    case 'vscode/diagnostics':
      return params.path === undefined ? 'read all problems' : `read the problems of ${params.path}`;
    case 'vscode/symbols':
      return params.path === undefined
        ? `look for the symbol ${params.query}`
        : `read the outline of ${params.path}`;
    case 'vscode/definition':
      return `find a definition from ${params.path}`;
    case 'vscode/references':
      return `find references from ${params.path}`;
    case 'vscode/rename':
      return `rename a symbol of ${params.path} to ${params.newName}`;
    case 'vscode/openEditors':
      return 'see which files are open, and the selection';
    case 'vscode/showMessage':
      return 'show a message';
    case 'vscode/ask':
      return 'ask you a question';
    case 'vscode/executeCommand':
      return `run the VS Code command ${params.command}`;
    case 'vscode/progress':
      return 'show its progress';
    case 'vscode/chat':
      return 'ask a language model of this editor';
    case 'vscode/getChatHistory':
      return 'read an earlier conversation';
  }
}
