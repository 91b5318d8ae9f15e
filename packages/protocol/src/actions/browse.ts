import { z } from 'zod';
import { commonArgs } from './common.ts';

/** `browse`: open a page and return its text. */
export const browseArgs = z.strictObject({
  url: z.string(),
  return_axtree: z.boolean().default(false),
  ...commonArgs,
});
export type BrowseArgs = z.infer<typeof browseArgs>;

/** `browse_interactive`: steps in the open page. */
export const browseInteractiveArgs = z.strictObject({
  browser_actions: z.string(),
  browsergym_send_msg_to_user: z.string().default(''),
  return_axtree: z.boolean().default(false),
  ...commonArgs,
});
export type BrowseInteractiveArgs = z.infer<typeof browseInteractiveArgs>;
