import { posix } from 'node:path';
import type { SessionHandle } from '@fairlead/client';
import { CliError } from '../cli-error.ts';

/** A path in a session as an absolute one; relative ones are those of the workspace. */
export async function absolutePath(session: SessionHandle, path: string): Promise<string> {
  if (posix.isAbsolute(path)) return posix.normalize(path);
  return posix.join(await workspaceOf(session), path);
}

export type RemoteKind = 'directory' | 'file' | 'none';

/** By the names in its parent: there is no other question that leaves no trace in the session. */
export async function kindOf(session: SessionHandle, path: string): Promise<RemoteKind> {
  const { dir, base } = posix.parse(path);
  if (base === '') return 'directory';
  const names = await session.list(dir);
  if (names.includes(`${base}/`)) return 'directory';
  return names.includes(base) ? 'file' : 'none';
}

/** Only a sandbox without isolation has its workspace elsewhere than the others, so it is asked. */
async function workspaceOf(session: SessionHandle): Promise<string> {
  const args = { command: 'pwd -P', is_static: true, hidden: true };
  const { content } = await session.act({ action: 'run', args, timeout: 30 });
  if (content.startsWith('/')) return content.trim();
  throw new CliError(`The workspace of ${session.id} is not known; give an absolute path. ${content.trim()}`);
}
