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
  return { type, request: 'launch', name, program: uri.fsPath, ...consoleOf(type) };
}

/** These tell the program its environment themselves, so that it can have a terminal to type into. */
const tellsEnvironment = new Set(['debugpy', 'python']);

/**
 * Where the program shows what it prints. Most debuggers have a terminal started for it by a command line, and VS Code
 * types the environment into that line, with the token of the run for all to see. So these get the debug console, from
 * which a program cannot read.
 */
function consoleOf(type: string): Pick<vscode.DebugConfiguration, string> {
  if (tellsEnvironment.has(type)) return { console: 'integratedTerminal' };
  // Node's debugger would else leave out what is not printed by `console`.
  return { console: 'internalConsole', outputCapture: 'std' };
}
