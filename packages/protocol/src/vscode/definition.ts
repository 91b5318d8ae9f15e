import { z } from 'zod';
import { filePath, location, position } from './json-forms.ts';
import { commonParams, editorRequest } from './request.ts';

/** `vscode/definition`: where the name at a position is defined. */
export const definition = editorRequest({
  type: 'vscode/definition',
  capability: 'read',
  params: z.strictObject({
    path: filePath,
    position,
    kind: z.enum(['definition', 'typeDefinition', 'declaration', 'implementation']).default('definition'),
    ...commonParams,
  }),
  result: z.object({ locations: z.array(location) }),
});
