import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { inside } from '../inside.ts';
import {
  allPids,
  argvOf,
  childrenOf,
  factsOf,
  isAlive,
  isOwn,
  namespaceIds,
  type ProcessFacts,
} from './process-table.ts';

/** The processes by which a sandbox is held. */
export interface FoundSandbox {
  id: string;
  /** bwrap, outside, which waits for the first process. Not there without isolation, or when somebody killed it. */
  monitor?: ProcessFacts;
  /** The supervisor. Not there while the sandbox is being made. When it ends, the kernel ends all others inside. */
  first?: ProcessFacts;
  /** Its run directory, where a process outside tells it. */
  run?: string;
}

/**
 * Finds sandboxes by the processes that exist, never by a file that says so: a gateway that was killed at any moment
 * finds all it had. The supervisor's name has the gateway's state directory, as a hash, and the id.
 */
export class SandboxFinder {
  readonly #prefix: string;

  constructor(stateDir: string) {
    const hash = createHash('sha256').update(realpathSync(stateDir)).digest('hex').slice(0, 16);
    this.#prefix = `fairlead-sandbox-${hash}-`;
  }

  nameOf(id: string): string {
    return `${this.#prefix}${id}`;
  }

  find(id: string): FoundSandbox | undefined {
    return this.#look(this.nameOf(id)).get(id);
  }

  findAll(): Map<string, FoundSandbox> {
    return this.#look(this.#prefix);
  }

  /** Among the processes that have a word in their argv which begins like this. */
  #look(start: string): Map<string, FoundSandbox> {
    const named = allPids().flatMap((pid) => this.#named(pid, start) ?? []);
    const sandboxes = new Map<string, FoundSandbox>();
    const known = new Set<number>();
    // A process of our own namespace that leads a session is one that we started; those inside cannot pass for one.
    for (const { id, argv, facts } of named) {
      if (facts.leader !== facts.pid || namespaceIds(facts.pid).length !== 1) continue;
      const sandbox = argv[0] === 'bash' ? withoutMonitor(id, argv, facts) : withMonitor(id, argv, facts);
      // It has died meanwhile, and its child is somebody else's now.
      if (sandbox.first === undefined && !isAlive(facts)) continue;
      sandboxes.set(id, sandbox);
      if (sandbox.first !== undefined) known.add(sandbox.first.pid);
    }
    // The word of a first process itself counts only where no monitor tells: a program inside could change it.
    for (const { id, facts } of named)
      if (!known.has(facts.pid) && !sandboxes.has(id) && isFirst(facts.pid))
        sandboxes.set(id, { id, first: facts });
    return sandboxes;
  }

  #named(pid: number, start: string): { id: string; argv: string[]; facts: ProcessFacts } | undefined {
    const argv = argvOf(pid);
    const name = argv.find((word) => word.startsWith(start));
    if (name === undefined || !isOwn(pid)) return undefined;
    const facts = factsOf(pid);
    return facts && { id: name.slice(this.#prefix.length), argv, facts };
  }
}

function withMonitor(id: string, argv: string[], monitor: ProcessFacts): FoundSandbox {
  const first = childrenOf(monitor.pid).find(isFirst);
  const facts = first === undefined ? undefined : factsOf(first);
  const run = argv[argv.lastIndexOf(inside.run) - 1] ?? '';
  return { id, monitor, run, ...(facts && { first: facts }) };
}

function withoutMonitor(id: string, argv: string[], first: ProcessFacts): FoundSandbox {
  const log = argv[argv.findIndex((word) => word.endsWith(id)) + 1] ?? '';
  return { id, first, run: dirname(log) };
}

/** Number 1 of a namespace right below ours: whatever a sandbox makes itself is deeper. */
function isFirst(pid: number): boolean {
  const ids = namespaceIds(pid);
  return ids.length === 2 && ids[1] === 1;
}
