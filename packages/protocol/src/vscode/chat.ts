import { z } from 'zod';
import { editorRequest, timeoutMs } from './request.ts';

const modelSelector = z.strictObject({
  vendor: z.string().max(200).optional(),
  family: z.string().max(200).optional(),
  version: z.string().max(200).optional(),
  id: z.string().max(200).optional(),
});
export type ModelSelector = z.infer<typeof modelSelector>;

/**
 * `vscode/chat`: asks a language model of the editor, of any vendor. The error codes `no_model`, `no_permission`,
 * `refused` and `off_topic` tell why there is no answer.
 */
export const chat = editorRequest({
  type: 'vscode/chat',
  capability: 'chat',
  params: z.strictObject({
    message: z.string().min(1).max(2_000_000),
    /** A name (exact first, then as a part of one) or a selector; else the setting `fairlead.chat.model`; else the first. */
    model: z
      .union([z.string().min(1).max(200), modelSelector], {
        error: 'expected a name or {vendor, family, version, id}',
      })
      .optional(),
    /** Goes on with an earlier conversation of this workspace. */
    conversationId: z
      .string()
      .regex(/^[\w.-]{1,128}$/, 'use 1 to 128 letters, digits, "_", "." or "-"')
      .optional(),
    /** Sends the answer in parts while it is made; the result has all of it in any case. */
    stream: z.boolean().default(false),
    timeout: timeoutMs.default(30_000),
  }),
  result: z.object({
    response: z.string(),
    conversationId: z.string(),
    model: z.object({ id: z.string(), name: z.string(), vendor: z.string(), family: z.string() }),
  }),
});
