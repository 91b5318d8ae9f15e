import { z } from 'zod';

/** The body of `POST /execute_action`, as a sandbox and the gateway take it. */
export const executeActionRequest = z.looseObject({
  /** An event: `{"action": "run", "args": {…}, "timeout": 120}`. */
  action: z.record(z.string(), z.unknown()),
});

/** With an action, wherever it is sent to. */
export const actionHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'use 1 to 200 visible ASCII characters')
    .optional(),
  'x-action-id': z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,128}$/, 'use 1 to 128 letters, digits, ".", "_" or "-"')
    .optional(),
});
