import { z } from 'zod';
import { fileName, filePath, position } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

/** `vscode/rename`: renames what stands at a position, everywhere, as F2 does, and saves the files that had no unsaved changes. */
export const rename = editorRequest({
  type: 'vscode/rename',
  capability: 'edit',
  params: z.strictObject({ path: filePath, position, newName: z.string().min(1).max(1000), ...commonParams }),
  result: z.object({ files: z.array(z.object({ ...fileName, edits: z.int(), isSaved: z.boolean() })) }),
});
