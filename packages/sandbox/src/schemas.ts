import { z } from 'zod';

/** Requests that are checked and documented by the same schema. */

export const listFilesRequest = z.looseObject({ path: z.string().nullish() });

export const uploadQuery = z.object({
  destination: z.string().default('/'),
  recursive: z
    .string()
    .regex(/^(true|false|1|0|yes|no|on|off)$/i, 'use true or false')
    .default('false'),
});

export const downloadQuery = z.object({ path: z.string() });

export const eventsQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'use the last "seq" you have seen, 0 for all')
    .optional(),
  /** Long actions and observations come with an empty `event`: for who reads live output alone. */
  brief: z.enum(['true', 'false']).default('false'),
});

const terminalDimension = z.coerce.number().pipe(z.int().min(2).max(1000)).optional();
export const terminalQuery = z.object({ cols: terminalDimension, rows: terminalDimension });
