import { z } from 'zod';
import { commonParams, editorRequest } from './request.ts';

/**
 * `vscode/progress`: shows how far something is. The first request with a `progressId` opens the notification and
 * needs a `title`; further ones change it; `done` closes it. It also closes when its caller is gone.
 */
export const progress = editorRequest({
  type: 'vscode/progress',
  capability: 'interact',
  params: z.strictObject({
    progressId: z.string().min(1).max(200),
    title: z.string().min(1).max(1000).optional(),
    message: z.string().max(1000).optional(),
    /** From 0 to 100. Without it only a moving bar is shown. It does not go back. */
    percent: z.number().min(0).max(100).optional(),
    /** Offers a button to cancel; read when the notification is opened. */
    cancellable: z.boolean().default(false),
    done: z.boolean().default(false),
    ...commonParams,
  }),
  /** True once the user pressed "Cancel". */
  result: z.object({ isCancelled: z.boolean() }),
});
