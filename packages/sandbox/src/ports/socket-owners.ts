import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Which process has a socket open, by the socket's inode: the oldest of several that share it. */
export function findOwners(inodes: ReadonlySet<string>): Map<string, number> {
  const owners = new Map<string, number>();
  const pids = names('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((one, other) => one - other);
  for (const pid of pids) {
    if (owners.size === inodes.size) break;
    for (const inode of socketsOf(pid)) {
      if (inodes.has(inode) && !owners.has(inode)) owners.set(inode, pid);
    }
  }
  return owners;
}

const commandLimit = 200;

export function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return words.slice(0, commandLimit);
  } catch {
    return '';
  }
}

/** 0 where there is none, or none that is seen. */
export function parentOf(pid: number): number {
  try {
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    return Number(fields.split(' ')[1]);
  } catch {
    return 0;
  }
}

function socketsOf(pid: number): string[] {
  return names(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

/** A process may end while it is looked at, and those of other users are closed to us. */
function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
