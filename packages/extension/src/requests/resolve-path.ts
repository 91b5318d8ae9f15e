import { resolve } from 'node:path';
import { FileError } from '@fairlead/executor';
import * as vscode from 'vscode';
import type { Caller } from './caller.ts';
import { RequestError } from './request-error.ts';

/** An agent gets no further than the workspace; a script was started by the user, who could open any file. */
export async function resolvePath(
  path: string,
  caller: Caller,
  inWorkspace: (path: string, caller: Caller) => Promise<vscode.Uri>,
): Promise<vscode.Uri> {
  if (caller.isScript) return ofScript(path);
  try {
    return await inWorkspace(path, caller);
  } catch (error) {
    if (error instanceof FileError) throw new RequestError('denied', error.message);
    throw error;
  }
}

async function ofScript(path: string): Promise<vscode.Uri> {
  // A scheme has two letters at least: one is a drive of Windows.
  if (/^[a-z][a-z\d+.-]+:/i.test(path)) return vscode.Uri.parse(path);
  const folders = vscode.workspace.workspaceFolders ?? [];
  const candidates = folders.map(({ uri }) =>
    uri.scheme === 'file' ? vscode.Uri.file(resolve(uri.fsPath, path)) : vscode.Uri.joinPath(uri, path),
  );
  for (const candidate of candidates) if (await exists(candidate)) return candidate;
  return candidates[0] ?? vscode.Uri.file(resolve(path));
}

function exists(uri: vscode.Uri): Promise<boolean> {
  return Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}
