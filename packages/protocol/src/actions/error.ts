import { z } from 'zod';

/** `error`: the action was understood and could not be done. Agents read it and go on. */
export const errorObservationSchema = z.object({
  observation: z.literal('error'),
  content: z.string(),
  message: z.string(),
  extras: z.object({ error_id: z.string() }),
});
export type ErrorObservation = z.infer<typeof errorObservationSchema>;
