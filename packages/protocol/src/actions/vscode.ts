import { z } from 'zod';
import { editorRequestTypes } from '../vscode/request-types.ts';
import { commonArgs } from './common.ts';

/**
 * `vscode`: a request to the editor of a window, by the names of `editorRequests`. Answered by `vscode`, or by `error`:
 * where there is no editor, where a parameter is wrong, and where the user or the request's own work refused.
 */
export const vscodeArgs = z.strictObject({
  type: z.enum(editorRequestTypes),
  params: z.record(z.string(), z.unknown()).default({}),
  ...commonArgs,
});
export type VscodeArgs = z.infer<typeof vscodeArgs>;

export const vscodeObservationSchema = z.object({
  observation: z.literal('vscode'),
  /** The result as JSON text. */
  content: z.string(),
  message: z.string(),
  extras: z.object({ type: z.string(), result: z.record(z.string(), z.unknown()) }),
});
export type VscodeObservation = z.infer<typeof vscodeObservationSchema>;
