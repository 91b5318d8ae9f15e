import { z } from 'zod';

/** Requests that are checked and documented by the same schema. */

export const executeActionRequest = z.looseObject({
  /** An event: `{"action": "run", "args": {…}, "timeout": 120}`. */
  action: z.record(z.string(), z.unknown()),
});

export const executeActionHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'use 1 to 200 visible ASCII characters')
    .optional(),
  'x-action-id': z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,128}$/, 'use 1 to 128 letters, digits, ".", "_" or "-"')
    .optional(),
  /** Only with an `Idempotency-Key`: answer what is known of it, and see to it that it is not run otherwise. */
  'x-resume-only': z
    .string()
    .regex(/^true$/, 'use "true", or leave it out')
    .optional(),
});

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
});

const terminalDimension = z.coerce.number().pipe(z.int().min(2).max(1000)).optional();
export const terminalQuery = z.object({ cols: terminalDimension, rows: terminalDimension });
