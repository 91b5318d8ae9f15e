import type * as vscode from 'vscode';

interface Contributed {
  contributes?: { debuggers?: { type?: string; languages?: string[] }[] };
}

/** Where several extensions can debug a language, the one that people expect. */
const preferred: Record<string, string[]> = {
  python: ['debugpy', 'python'],
  javascript: ['pwa-node', 'node'],
  typescript: ['pwa-node', 'node'],
};

/** How to debug one file with what is installed; undefined where nothing can. */
export function debugConfiguration(
  { uri, languageId }: vscode.TextDocument,
  extensions: readonly vscode.Extension<unknown>[],
): vscode.DebugConfiguration | undefined {
  const debuggers = extensions.flatMap(
    ({ packageJSON }) => (packageJSON as Contributed).contributes?.debuggers ?? [],
  );
  const types = new Set(debuggers.map(({ type }) => type));
  const type =
    (preferred[languageId] ?? []).find((known) => types.has(known)) ??
    debuggers.find(({ languages }) => languages?.includes(languageId))?.type;
  if (type === undefined) return undefined;
  const name = `Fairlead: ${uri.path.split('/').at(-1)}`;
  return { type, request: 'launch', name, program: uri.fsPath, console: 'integratedTerminal' };
}
