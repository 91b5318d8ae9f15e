import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, chownSync, constants, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './arguments.ts';
import { makeDirectory } from './make-directory.ts';
import type { User } from './user.ts';

/** The workspace as an absolute path without links, made when missing and given to the user. */
export function prepareWorkingDir(given: string, user: User | undefined, group: string): string {
  const path = resolve(given);
  try {
    makeShared(path);
    if (!statSync(path).isDirectory())
      throw new UsageError(`--working-dir ${path} is a file, not a directory`);
    accessSync(path, constants.R_OK | constants.X_OK);
    if (user !== undefined) handOver(path, user, group);
    return realpathSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot use --working-dir ${path}: ${(error as Error).message}`);
  }
}

function makeShared(path: string): void {
  const previousMask = process.umask(0o002);
  try {
    makeDirectory(path);
  } finally {
    process.umask(previousMask);
  }
}

/** The directory alone: what is in it may be large, and may belong to somebody on purpose. */
function handOver(path: string, user: User, group: string): void {
  if (path === '/') return;
  chownSync(path, user.uid, groupId(group));
  chmodSync(path, statSync(path).mode | 0o060);
}

function groupId(group: string): number {
  if (group === 'root') return 0;
  if (/^\d+$/.test(group)) return Number(group);
  try {
    return Number(execFileSync('getent', ['group', group], { encoding: 'utf8' }).split(':')[2]);
  } catch {
    throw new UsageError(`SANDBOX_GROUP_ID="${group}" is not a group of this machine`);
  }
}
