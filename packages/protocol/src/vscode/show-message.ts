import { z } from 'zod';
import { commonParams, editorRequest } from './request.ts';

/** `vscode/showMessage`: a notification. With `buttons` it is answered when the user chose one, or closed it. */
export const showMessage = editorRequest({
  type: 'vscode/showMessage',
  capability: 'interact',
  params: z.strictObject({
    message: z.string().min(1).max(10_000),
    level: z.enum(['info', 'warning', 'error']).default('info'),
    buttons: z.array(z.string().min(1).max(200)).max(10).default([]),
    /** In the middle of the window, so that nothing else can be done before. */
    modal: z.boolean().default(false),
    /** More text, which only a modal message shows. */
    detail: z.string().max(10_000).optional(),
    ...commonParams,
  }),
  /** `button` is null when there was none, or none was chosen. */
  result: z.object({ button: z.string().nullable() }),
});
