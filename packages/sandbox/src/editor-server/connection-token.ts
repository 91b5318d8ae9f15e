import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tokenFile } from './editor-scope.ts';

/** The token of a session's editor: a browser that comes back after a restart has the old one. */
export function connectionToken(sessionDir: string): string {
  const path = tokenFile(sessionDir);
  try {
    return readFileSync(path, 'utf8');
  } catch {
    const token = randomBytes(32).toString('hex');
    writeFileSync(path, token, { mode: 0o600, flag: 'wx' });
    return token;
  }
}
