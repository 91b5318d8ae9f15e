import { z } from 'zod';
import { fileName, range } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

/** `vscode/openEditors`: which files are open, and what is selected in the active one. */
export const openEditors = editorRequest({
  type: 'vscode/openEditors',
  capability: 'read',
  params: z.strictObject({ ...commonParams }),
  result: z.object({
    files: z.array(
      z.object({ ...fileName, isActive: z.boolean(), isVisible: z.boolean(), isDirty: z.boolean() }),
    ),
    active: z
      .object({
        ...fileName,
        languageId: z.string(),
        selection: range,
        /** At most 16 384 characters of it. */
        selectedText: z.string(),
        visibleRange: range,
      })
      .nullable(),
  }),
});
