import { z } from 'zod';
import { sessionId } from '../session-id.ts';

/** What happens in a window beside actions and observations, and belongs in the session's journal. */

const longText = z.string().max(16_384);
const path = z.string().max(4096);

export const approvalNotice = z.object({
  type: z.literal('approval'),
  actionId: z.string().max(256),
  /** `waiting`: the user is asked; all others: how it ended. `changed`: the user changed it and then approved. */
  state: z.enum(['waiting', 'approved', 'changed', 'rejected', 'expired', 'cancelled']),
  capability: z.string().max(64),
  /** The user's words. */
  reason: longText.nullable(),
});

/** What the user did to a file meanwhile, not the agent. */
export const changeNotice = z.object({
  type: z.literal('change'),
  change: z.enum(['saved', 'created', 'renamed', 'deleted']),
  path,
  /** Of a file that was renamed. */
  newPath: path.nullable(),
});

export const sessionNotice = z.discriminatedUnion('type', [approvalNotice, changeNotice]);
export type SessionNotice = z.infer<typeof sessionNotice>;

/** As a window sends it: again and again until the gateway acknowledges, which keeps one of each `noticeId`. */
export const noticeMessage = z.object({
  sessionId,
  noticeId: z.string().min(1).max(64),
  time: z.iso.datetime(),
  notice: sessionNotice,
});
export type NoticeMessage = z.infer<typeof noticeMessage>;
