import type { EditorDiagnostic } from '@fairlead/protocol';

/** What is in the one list and not in the other. A problem that only moved to another line is still the same. */
export function problemsDelta(
  before: EditorDiagnostic[],
  after: EditorDiagnostic[],
): { added: EditorDiagnostic[]; removed: EditorDiagnostic[] } {
  return { added: missingIn(before, after), removed: missingIn(after, before) };
}

function missingIn(known: EditorDiagnostic[], problems: EditorDiagnostic[]): EditorDiagnostic[] {
  const counts = new Map<string, number>();
  for (const problem of known) counts.set(keyOf(problem), (counts.get(keyOf(problem)) ?? 0) + 1);
  return problems.filter((problem) => {
    const left = counts.get(keyOf(problem)) ?? 0;
    counts.set(keyOf(problem), left - 1);
    return left <= 0;
  });
}

function keyOf({ path, severity, message, source, code }: EditorDiagnostic): string {
  return JSON.stringify([path, severity, message, source, code]);
}
