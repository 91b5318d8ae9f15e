import { readlinkSync } from 'node:fs';
import { type ListeningSocket, listeningSockets } from './listening-sockets.ts';
import { commandOf, findOwners, parentOf } from './socket-owners.ts';

export interface OpenPort {
  port: number;
  address: string;
  pid: number;
  command: string;
}

/** The ports that processes of the sandbox listen on. The server's own is none of them. */
export class Ports {
  readonly #isOwn: (pid: number) => boolean;
  /** Sockets that were seen to be the sandbox's; another never has the same number. */
  #known = new Set<string>();

  constructor(isOwn: (pid: number) => boolean) {
    this.#isOwn = isOwn;
  }

  list(): OpenPort[] {
    const sockets = listeningSockets();
    const owners = this.#ownersOf(sockets);
    return sockets
      .flatMap(({ port, address, inode }) => {
        const pid = owners.get(inode);
        return pid === undefined ? [] : { port, address, pid, command: commandOf(pid) };
      })
      .sort((one, other) => one.port - other.port || one.address.localeCompare(other.address));
  }

  /** Where to connect to for a port; empty where no process of the sandbox listens on it. */
  addressesOf(port: number): string[] {
    const sockets = listeningSockets().filter((socket) => socket.port === port);
    // Looking through all processes takes its time.
    if (sockets.some(({ inode }) => !this.#known.has(inode))) this.#ownersOf(listeningSockets());
    const own = sockets.filter(({ inode }) => this.#known.has(inode));
    return [...new Set(own.flatMap(({ address }) => reachable(address)))];
  }

  #ownersOf(sockets: ListeningSocket[]): Map<string, number> {
    const owners = findOwners(new Set(sockets.map(({ inode }) => inode)));
    for (const [inode, pid] of owners) {
      if (pid === process.pid || !this.#isOwn(pid)) owners.delete(inode);
    }
    this.#known = new Set(owners.keys());
    return owners;
  }
}

/**
 * Where the processes are those of the sandbox alone, all are its own; else those that it, or a parent of theirs, holds.
 * The parent that this process was started by: who has lost it gets the first process in its place.
 */
export function ownProcesses(
  holds: (pid: number) => boolean,
  parentAtStart: number,
): (pid: number) => boolean {
  if (isAlone(parentAtStart)) return () => true;
  return function isOwn(pid: number): boolean {
    return pid > 1 && (holds(pid) || isOwn(parentOf(pid)));
  };
}

/** That of the machine itself has the same number everywhere. */
const firstNamespace = 'pid:[4026531836]';

/** The first process of a container is this one, or has started it. */
function isAlone(parentAtStart: number): boolean {
  if (process.pid !== 1 && parentAtStart !== 1) return false;
  try {
    return readlinkSync('/proc/self/ns/pid') !== firstNamespace;
  } catch {
    return false;
  }
}

function reachable(address: string): string[] {
  if (address === '0.0.0.0') return ['127.0.0.1'];
  // It may or may not take the other family too.
  return address === '::' ? ['::1', '127.0.0.1'] : [address];
}
