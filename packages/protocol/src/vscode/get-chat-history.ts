import { z } from 'zod';
import { commonParams, editorRequest } from './request.ts';

/** `vscode/getChatHistory`: the last messages of a conversation, oldest first. An unknown conversation has none. */
export const getChatHistory = editorRequest({
  type: 'vscode/getChatHistory',
  capability: 'chat',
  params: z.strictObject({
    conversationId: z.string().min(1).max(128),
    limit: z.int().min(1).max(1000).default(10),
    ...commonParams,
  }),
  result: z.object({
    messages: z.array(
      z.object({
        role: z.enum(['user', 'assistant']),
        content: z.string(),
        /** Milliseconds since 1970. */
        timestamp: z.number(),
      }),
    ),
  }),
});
