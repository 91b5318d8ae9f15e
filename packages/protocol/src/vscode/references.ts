import { z } from 'zod';
import { filePath, location, position } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

/** `vscode/references`: where the name at a position is used, its declaration included. */
export const references = editorRequest({
  type: 'vscode/references',
  capability: 'read',
  params: z.strictObject({
    path: filePath,
    position,
    limit: z.int().min(1).max(10_000).default(1000),
    ...commonParams,
  }),
  result: z.object({
    /** `text` is the line in which the place begins. */
    locations: z.array(location.extend({ text: z.string() })),
    isTruncated: z.boolean(),
  }),
});
