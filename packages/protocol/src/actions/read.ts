import { z } from 'zod';
import { commonArgs } from './common.ts';

/** `read`: a file's text, or a slice of its lines. Answered by `read`, or by `error` where there is no text. */
export const readArgs = z.strictObject({
  path: z.string(),
  start: z.int().default(0),
  end: z.int().default(-1),
  /** `oh_aci` answers as the editor's `view` does. */
  impl_source: z.enum(['default', 'oh_aci']).default('default'),
  view_range: z.array(z.unknown()).nullable().default(null),
  ...commonArgs,
});
export type ReadArgs = z.infer<typeof readArgs>;

export const readObservationSchema = z.object({
  observation: z.literal('read'),
  content: z.string(),
  message: z.string(),
  extras: z.object({ path: z.string(), impl_source: z.enum(['default', 'oh_aci']) }),
});
export type ReadObservation = z.infer<typeof readObservationSchema>;
