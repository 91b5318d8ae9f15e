import { z } from 'zod';
import { sessionId } from '../session-id.ts';

/** What a window says of itself when it connects, and again whenever it changes. */

const shortText = z.string().max(256);

export const windowFolder = z.object({
  name: shortText,
  uri: z.string().max(4096),
  /** Null where the folder is on no disk that the window's shells see. */
  path: z.string().max(4096).nullable(),
});
export type WindowFolder = z.infer<typeof windowFolder>;

export const windowId = z.uuid();

export const windowFacts = z.object({
  /** Made by the extension once for a workspace, and kept: a window that reconnects is the same window. */
  windowId,
  /** The workspace's name. */
  name: shortText,
  folders: z.array(windowFolder).max(100),
  vscodeVersion: shortText,
  extensionVersion: shortText,
  /** "Visual Studio Code", "code-server", … */
  appName: shortText,
  /** Of a window whose folder is elsewhere (`ssh-remote`, `wsl`, …). */
  remoteName: shortText.nullable(),
  isTrusted: z.boolean(),
  capabilities: z.array(shortText).max(100),
  /** Whose server is up in this window. */
  openSessions: z.array(sessionId).max(1000),
});
export type WindowFacts = z.infer<typeof windowFacts>;
