import { readdirSync, readFileSync, statSync } from 'node:fs';

/** A process that is told from a later one with the same id. */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
}

export interface ProcessFacts extends ProcessIdentity {
  parent: number;
  /** The process that its session of processes began with. */
  leader: number;
  /** As in /proc: R, S, T for stopped, Z for dead and not yet waited for … */
  state: string;
}

/** Undefined when there is no such process, or it is dead. */
export function factsOf(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets may hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent = '', , leader = ''] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return { pid, state, parent: Number(parent), leader: Number(leader), startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return factsOf(pid)?.startTime === startTime;
}

export function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

export function argvOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Nobody else's process is taken for ours, whatever it calls itself. */
export function isOwn(pid: number): boolean {
  try {
    const { uid } = statSync(`/proc/${pid}`);
    return uid === process.getuid?.() || uid === 0;
  } catch {
    return false;
  }
}

/** Its ids from our process namespace down to its own. */
export function namespaceIds(pid: number): number[] {
  try {
    const ids = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return ids?.split(/\s+/).map(Number) ?? [];
  } catch {
    return [];
  }
}

export function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return list
      .split(' ')
      .map(Number)
      .filter((child) => child > 0);
  } catch {
    // A kernel without this list, or the process has ended.
    return allPids().filter((each) => factsOf(each)?.parent === pid);
  }
}

/** All descendants and the process itself, parents before their children. */
export function familyOf(pid: number): ProcessFacts[] {
  const children = Map.groupBy(
    allPids().flatMap((each) => factsOf(each) ?? []),
    (facts) => facts.parent,
  );
  const family = [factsOf(pid)].filter((facts) => facts !== undefined);
  // Grows while it is walked.
  for (const { pid: parent } of family) family.push(...(children.get(parent) ?? []));
  return family;
}

/** One that has ended by itself is as good. */
export function signal(process_: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(process_)) return;
  try {
    process.kill(process_.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
