import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isProgram } from './programs.ts';

interface PythonApi {
  environments?: { getActiveEnvironmentPath(resource: vscode.Uri): { path?: string } | undefined };
}

/** The interpreter that the user chose for this file: in the Python extension, by its setting, or by a `.venv`. */
export async function chosenPython(file: vscode.Uri): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  const api = await extension?.activate().then(undefined, () => undefined);
  const active = api?.environments?.getActiveEnvironmentPath(file)?.path;
  const setting = vscode.workspace.getConfiguration('python', file).get<string>('defaultInterpreterPath');
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath;
  const virtual =
    folder === undefined
      ? []
      : [join(folder, '.venv', 'bin', 'python'), join(folder, '.venv', 'Scripts', 'python.exe')];
  return [active, setting, ...virtual]
    .filter((path): path is string => path !== undefined && path !== '')
    .map((path) => path.replace('${workspaceFolder}', folder ?? '').replace(/^~(?=[/\\])/, homedir()))
    .find(isProgram);
}
