import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editorScope } from '../editor-server/editor-scope.ts';

const ownerFile = 'owner';
const lockFile = 'server.pid';

/**
 * A session belongs to one workspace and one key. What another server left here, under the same port by chance, is
 * ended and removed: nobody may find somebody else's shell and journal.
 */
export async function claimSession(
  sessionDir: string,
  owner: { workspace: string; key: string | undefined },
  env: Record<string, string>,
): Promise<void> {
  const mine = createHash('sha256').update(JSON.stringify(owner)).digest('hex');
  const found = readOwner(sessionDir);
  if (found === mine) return;
  const left = readdirSync(sessionDir).filter((name) => name !== lockFile);
  if (left.length > 0) {
    const { endSession, ProcessScope } = await import('@fairlead/executor');
    await endSession(sessionDir, env);
    await new ProcessScope(editorScope(sessionDir)).kill();
    for (const name of left) rmSync(join(sessionDir, name), { recursive: true, force: true });
  }
  writeFileSync(join(sessionDir, ownerFile), mine, { mode: 0o600 });
}

function readOwner(sessionDir: string): string | undefined {
  try {
    return readFileSync(join(sessionDir, ownerFile), 'utf8');
  } catch {
    return undefined;
  }
}
