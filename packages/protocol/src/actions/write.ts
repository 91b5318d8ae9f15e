import { z } from 'zod';
import { commonArgs } from './common.ts';
import { changedDiagnostics } from './diagnostics.ts';

/** `write`: a whole file, or a slice of its lines. Answered by `write`, or by `error` with nothing written. */
export const writeArgs = z.strictObject({
  path: z.string(),
  content: z.string(),
  start: z.int().default(0),
  end: z.int().default(-1),
  ...commonArgs,
});
export type WriteArgs = z.infer<typeof writeArgs>;

export const writeObservationSchema = z.object({
  observation: z.literal('write'),
  content: z.string(),
  message: z.string(),
  extras: z.object({ path: z.string(), diagnostics: changedDiagnostics.optional() }),
});
export type WriteObservation = z.infer<typeof writeObservationSchema>;
