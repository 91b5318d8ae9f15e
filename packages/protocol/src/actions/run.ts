import { z } from 'zod';
import { commonArgs, confirmationState } from './common.ts';

/** `run`: a command for, or input to, a persistent shell. Answered by a `run` observation. */
export const runArgs = z.strictObject({
  command: z.string(),
  /** The command is input for what is running, not a new command. */
  is_input: z.boolean().default(false),
  /** Wait for the deadline even when there is no new output. */
  blocking: z.boolean().default(false),
  /** Run in a fresh shell of its own, which ends with the command. */
  is_static: z.boolean().default(false),
  /** Directory of a static command; the persistent shell keeps its own. */
  cwd: z.string().nullable().default(null),
  /** Housekeeping of the client: its output is not cut to the model's size. */
  hidden: z.boolean().default(false),
  confirmation_state: confirmationState,
  ...commonArgs,
});
export type RunArgs = z.infer<typeof runArgs>;

export const runMetadata = z.object({
  /** -1 while unknown: still running, or never started. */
  exit_code: z.int(),
  /** Process id of the shell's last background job, -1 without one. */
  pid: z.int(),
  username: z.string().nullable(),
  hostname: z.string().nullable(),
  working_dir: z.string().nullable(),
  py_interpreter_path: z.string().nullable(),
  prefix: z.string(),
  suffix: z.string(),
});
export type RunMetadata = z.infer<typeof runMetadata>;

export const runObservationSchema = z.object({
  observation: z.literal('run'),
  content: z.string(),
  message: z.string(),
  extras: z.object({ command: z.string(), metadata: runMetadata, hidden: z.boolean() }),
  success: z.boolean(),
});
export type RunObservation = z.infer<typeof runObservationSchema>;
