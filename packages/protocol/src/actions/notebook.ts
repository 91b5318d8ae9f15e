import { z } from 'zod';
import { commonArgs, confirmationState } from './common.ts';

/** `run_ipython`: a cell for a notebook kernel. */
export const runIpythonArgs = z.strictObject({
  code: z.string(),
  include_extra: z.boolean().default(true),
  confirmation_state: confirmationState,
  kernel_init_code: z.string().default(''),
  ...commonArgs,
});
export type RunIpythonArgs = z.infer<typeof runIpythonArgs>;
