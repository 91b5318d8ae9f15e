import type { ChangedDiagnostics, EditorDiagnostic } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { problemsDelta } from './diagnostics-delta.ts';
import { withinDeadline } from './deadline.ts';
import { plainDiagnostic } from '../requests/diagnostics.ts';
import { type IsTold, toldOf } from '../requests/told.ts';

const firstWaitMs = 1_500;
const quietMs = 400;
const longestWaitMs = 8_000;

/** The time that an answer needs after the problems have been waited for. */
const spareMs = 500;

/** Compares the problems of the workspace from now on; close around an edit. */
export function problemsAround(isTold: IsTold) {
  const before = currentProblems();
  return {
    async changes({
      deadlineMs,
      signal,
    }: {
      deadlineMs: number;
      signal: AbortSignal;
    }): Promise<ChangedDiagnostics> {
      const isSettled = await withinDeadline(settled(), { deadlineMs: deadlineMs - spareMs, signal });
      const { added, removed } = problemsDelta(before, currentProblems());
      return {
        added: await toldOf(added, uriOf, isTold),
        removed: await toldOf(removed, uriOf, isTold),
        isSettled: isSettled ?? false,
      };
    },
  };
}

/** Language servers take their time, and none tells when it is done: quiet for a while counts as done. */
async function settled(): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isSettled: boolean) => {
      clearTimeout(quiet);
      clearTimeout(longest);
      listener.dispose();
      resolve(isSettled);
    };
    let quiet = setTimeout(() => end(true), firstWaitMs);
    const longest = setTimeout(() => end(false), longestWaitMs);
    const listener = vscode.languages.onDidChangeDiagnostics(() => {
      clearTimeout(quiet);
      quiet = setTimeout(() => end(true), quietMs);
    });
  });
}

function uriOf({ uri }: EditorDiagnostic): vscode.Uri {
  return vscode.Uri.parse(uri);
}

function currentProblems(): EditorDiagnostic[] {
  return vscode.languages
    .getDiagnostics()
    .filter(([uri]) => vscode.workspace.getWorkspaceFolder(uri) !== undefined)
    .flatMap(([uri, diagnostics]) => diagnostics.map((diagnostic) => plainDiagnostic(uri, diagnostic)));
}
