import { execFileSync } from 'node:child_process';
import { UsageError } from './arguments.ts';

export interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

export interface UserRequest {
  username: string | undefined;
  /** For a user that has to be created. */
  userId: number;
  isSwitchingUser: boolean;
  log(line: string): void;
}

/** Whose shells these are; undefined for the server's own user. Only root can switch, and only root creates. */
export function resolveUser(request: UserRequest): User | undefined {
  const { username, userId, isSwitchingUser, log } = request;
  if (username === undefined || !isSwitchingUser) return undefined;
  const ownUid = process.getuid?.();
  if (ownUid === 0 && username === 'root') return undefined;
  // Also keeps options of getent and useradd out.
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/.test(username)) {
    throw new UsageError(`--username "${username}" is not a user name`);
  }
  const known = findUser(username);
  if (ownUid !== 0) {
    if (known?.uid !== ownUid) log(`not root: shells run as the server's own user, not as ${username}`);
    return undefined;
  }
  return known ?? createUser(username, userId);
}

function findUser(name: string): User | undefined {
  const line = output('getent', ['passwd', name]);
  const [found, , uid, gid, , home] = line?.trim().split(':') ?? [];
  if (found === undefined || home === undefined) return undefined;
  return { name: found, uid: Number(uid), gid: Number(gid), home };
}

/** As the reference does: primary group root, so that files are shared with what runs as root. */
function createUser(name: string, userId: number): User {
  const sudo = output('getent', ['group', 'sudo']) === undefined ? [] : ['-G', 'sudo'];
  const account = [
    '-rm',
    '-d',
    `/home/${name}`,
    '-s',
    '/bin/bash',
    '-g',
    'root',
    ...sudo,
    '-u',
    String(userId),
  ];
  try {
    execFileSync('useradd', [...account, name], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    const reason = String((error as { stderr?: Buffer }).stderr ?? (error as Error).message).trim();
    throw new UsageError(`Cannot create the user "${name}" with id ${userId}: ${reason}`);
  }
  const created = findUser(name);
  if (created === undefined) throw new UsageError(`The user "${name}" was created but cannot be found`);
  return created;
}

function output(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
