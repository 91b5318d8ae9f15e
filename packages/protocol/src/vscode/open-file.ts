import { z } from 'zod';
import { fileName, filePath, position, range } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

/** `vscode/openFile`: shows a file in an editor tab. The keyboard stays where it is unless `focus` is true. */
export const openFile = editorRequest({
  type: 'vscode/openFile',
  capability: 'interact',
  params: z.strictObject({
    path: filePath,
    /** What to reveal and select. */
    selection: z.union([range, position], { error: 'expected {start, end} or {line, character}' }).optional(),
    focus: z.boolean().default(false),
    /** A preview tab is replaced by the next one. */
    preview: z.boolean().default(false),
    ...commonParams,
  }),
  result: z.object({ ...fileName, languageId: z.string(), lineCount: z.int() }),
});
