import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The same for every server of a session, so that a later one finds the processes that an earlier one has started. */
export function editorScope(sessionDir: string): string {
  return join(sessionDir, 'editor');
}

export function tokenFile(sessionDir: string): string {
  return join(sessionDir, 'editor-token');
}

/** Whether there ever was an editor in this session. */
export function hasHadEditor(sessionDir: string): boolean {
  return existsSync(tokenFile(sessionDir));
}
