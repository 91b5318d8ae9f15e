import { z } from 'zod';
import { commonArgs } from './common.ts';
import { changedDiagnostics } from './diagnostics.ts';

/** `edit`: one command of the editor. Answered by `edit`; a refused edit has `ERROR:` in its content. */
export const editArgs = z.strictObject({
  path: z.string(),
  /** view, create, str_replace, insert or undo_edit; the editor answers for anything else. */
  command: z.string().default(''),
  file_text: z.string().nullable().default(null),
  old_str: z.string().nullable().default(null),
  new_str: z.string().nullable().default(null),
  insert_line: z.union([z.int(), z.string()]).nullable().default(null),
  content: z.string().default(''),
  start: z.int().default(1),
  end: z.int().default(-1),
  impl_source: z.enum(['oh_aci', 'llm_based_edit']).default('oh_aci'),
  view_range: z.array(z.unknown()).nullable().default(null),
  ...commonArgs,
});
export type EditArgs = z.infer<typeof editArgs>;

export const editObservationSchema = z.object({
  observation: z.literal('edit'),
  content: z.string(),
  message: z.string(),
  extras: z.object({
    path: z.string(),
    prev_exist: z.boolean(),
    old_content: z.string().nullable(),
    new_content: z.string().nullable(),
    impl_source: z.literal('oh_aci'),
    diff: z.string().nullable(),
    _diff_cache: z.null(),
    diagnostics: changedDiagnostics.optional(),
  }),
});
export type EditObservation = z.infer<typeof editObservationSchema>;
