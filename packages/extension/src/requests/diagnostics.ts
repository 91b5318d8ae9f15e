import type { EditorDiagnostic, EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { openDocument } from './open-file.ts';
import { fileName, plainRange } from './places.ts';
import { type IsTold, toldOf } from './told.ts';

const severities = ['error', 'warning', 'information', 'hint'] as const;
const quietMs = 300;

export async function readDiagnostics(
  uri: vscode.Uri | undefined,
  params: EditorParams<'vscode/diagnostics'>,
  { signal, isTold }: { signal: AbortSignal; isTold: IsTold },
): Promise<EditorResult<'vscode/diagnostics'>> {
  if (uri !== undefined && !isOpen(uri)) {
    await openDocument(uri);
    await settled(uri, params.settleMs, signal);
  }
  const all = uri === undefined ? vscode.languages.getDiagnostics() : [[uri, ofFile(uri)] as const];
  const wantedSeverities = severities.slice(0, severities.indexOf(params.severity) + 1);
  const wanted = all.flatMap(([file, problems]) =>
    problems
      .filter(({ severity }) => wantedSeverities.includes(severities[severity]))
      .map((problem) => ({ file, problem })),
  );
  const told = await toldOf(wanted, ({ file }) => file, isTold);
  const found = told.map(({ file, problem }) => plainDiagnostic(file, problem));
  return { diagnostics: found.slice(0, params.limit), isTruncated: found.length > params.limit };
}

function isOpen(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
}

function ofFile(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri);
}

/** Until the problems of a file did not change for a moment after they changed once, or the time is over. */
function settled(uri: vscode.Uri, limitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let quiet: NodeJS.Timeout | undefined;
    const limit = setTimeout(finish, limitMs);
    const changes = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((changed) => changed.toString() === uri.toString())) return;
      clearTimeout(quiet);
      quiet = setTimeout(finish, quietMs);
    });
    signal.addEventListener('abort', finish);

    function finish(): void {
      clearTimeout(limit);
      clearTimeout(quiet);
      changes.dispose();
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}

export function plainDiagnostic(
  uri: vscode.Uri,
  { range, severity, message, source, code }: vscode.Diagnostic,
): EditorDiagnostic {
  return {
    ...fileName(uri),
    range: plainRange(range),
    severity: severities[severity] ?? 'hint',
    message,
    source: source ?? null,
    code: (typeof code === 'object' ? code.value : code) ?? null,
  };
}
