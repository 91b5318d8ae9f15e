import { z } from 'zod';
import { diagnostic } from '../vscode/diagnostics.ts';

/** What an edit did to the problems of a window. Only for clients that ask: stock ones refuse unknown extras. */
export const changedDiagnostics = z.object({
  added: z.array(diagnostic),
  removed: z.array(diagnostic),
  /** False when they still changed at the end of the time for it. */
  isSettled: z.boolean(),
});
export type ChangedDiagnostics = z.infer<typeof changedDiagnostics>;
