import { inside, type SandboxBundle } from '../inside.ts';
import type { SandboxDirectories } from '../driver.ts';
import { type Account, accountFiles, rootAccount } from './account-files.ts';
import type { PassedFiles } from './passed-files.ts';
import { procMounts } from './proc-mounts.ts';
import { seccompFilter } from './seccomp.ts';
import { hostName, systemMounts } from './system-mounts.ts';

/**
 * The part of the command that makes a sandbox of this machine's own system, without anything of a session. Not
 * `--die-with-parent`: it outlives the gateway. The network is the machine's.
 */
export function systemArguments(account: Account, passed: PassedFiles): string[] {
  const id = String(account.uid);
  const user = ['--unshare-user', '--uid', id, '--gid', id];
  const filter = seccompFilter(process.arch);
  return [
    ...(account === rootAccount ? [] : user),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--hostname',
    hostName,
    '--cap-drop',
    'ALL',
    '--new-session',
    // The supervisor is process 1: nothing inside can kill it.
    '--as-pid-1',
    ...(filter === undefined ? [] : ['--seccomp', String(passed.make(filter))]),
    ...systemMounts(passed),
    ...accountFiles(account, passed),
    '--proc',
    '/proc',
    ...procMounts(),
    '--dev',
    '/dev',
  ];
}

export interface SessionMounts {
  directories: SandboxDirectories;
  /** For temporary files, on this machine. */
  temporary: string;
  /** Read-only. */
  mounts: SandboxBundle['mounts'];
}

/** The part that is of one session. What is not mounted read-write here cannot be changed. */
export function sessionArguments({ directories, temporary, mounts }: SessionMounts): string[] {
  const writable = [
    [temporary, '/tmp'],
    [temporary, '/var/tmp'],
    [directories.home, inside.home],
    [directories.workspace, inside.workspace],
    [directories.run, inside.run],
  ] as const;
  return [
    ...mounts.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...writable.flatMap(([source, target]) => ['--bind', source, target]),
    '--remount-ro',
    '/',
    '--chdir',
    inside.workspace,
  ];
}
