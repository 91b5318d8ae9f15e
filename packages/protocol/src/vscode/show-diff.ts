import { z } from 'zod';
import { filePath } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

/** One side of a comparison: a file, or a text that is shown read-only under a name. */
const side = z
  .strictObject({
    path: filePath.optional(),
    text: z.string().optional(),
    name: z.string().max(200).optional(),
  })
  .refine(({ path, text }) => (path === undefined) !== (text === undefined), {
    error: 'give either "path" or "text"',
  });

/** `vscode/showDiff`: shows two files or texts side by side. It changes nothing. */
export const showDiff = editorRequest({
  type: 'vscode/showDiff',
  capability: 'interact',
  params: z.strictObject({
    left: side,
    right: side,
    title: z.string().max(500).optional(),
    focus: z.boolean().default(false),
    ...commonParams,
  }),
  result: z.object({ title: z.string() }),
});
