import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnosis, type Driver, DriverError, type SandboxSpec, type SandboxStatus } from '../driver.ts';
import { runFiles, type SandboxBundle, type SandboxEditor } from '../inside.ts';
import { takeTurns } from '../take-turns.ts';
import { bubblewrap } from './bubblewrap.ts';
import { GroupMaker } from './cgroups/group-maker.ts';
import { SandboxGroups } from './cgroups/sandbox-groups.ts';
import { endProcesses } from './end-processes.ts';
import { type FoundSandbox, SandboxFinder } from './find-sandboxes.ts';
import type { Isolation } from './isolation.ts';
import { noIsolation } from './no-isolation.ts';
import { removeTree } from '../remove-tree.ts';
import { factsOf, type ProcessFacts } from './process-table.ts';
import { awaitSandbox, checkSpec, notEnforced, startSandbox, temporaryOf } from './start-sandbox.ts';
import { continueAll, stopAll } from './stop-signals.ts';

export interface LocalDriverOptions {
  /** The gateway's. Two gateways have two, and do not see each other's sandboxes. */
  stateDir: string;
  bundle: SandboxBundle;
  /** `none` is for machines that cannot make sandboxes, and lets every session do all that the gateway may do. */
  isolation: 'bubblewrap' | 'none';
  editor?: SandboxEditor | undefined;
}

/** Sandboxes that are processes of this machine. Their network is the machine's own. */
export function openLocalDriver({ stateDir, bundle, isolation, editor }: LocalDriverOptions): Driver {
  const directory = join(stateDir, 'local');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const kind = isolation === 'none' ? noIsolation(bundle, editor) : bubblewrap(bundle, directory, editor);
  return new LocalDriver(stateDir, kind);
}

class LocalDriver implements Driver {
  readonly name = 'local';
  readonly #stateDir: string;
  readonly #isolation: Isolation;
  readonly #finder: SandboxFinder;
  readonly #groupMaker: GroupMaker;
  readonly #inTurn = takeTurns();
  /** What was found last: to look through all processes of the machine takes milliseconds. */
  readonly #known = new Map<string, FoundSandbox>();
  /** Those that were there at first, and those started since: nobody else starts any for this state directory. */
  #mayExist: Set<string> | undefined;

  constructor(stateDir: string, isolation: Isolation) {
    this.#stateDir = stateDir;
    this.#isolation = isolation;
    this.#finder = new SandboxFinder(stateDir);
    this.#groupMaker = new GroupMaker(this.#finder.nameOf(''));
  }

  async diagnose(): Promise<Diagnosis> {
    const diagnosis = await this.#isolation.diagnose();
    const { unenforced } = this.#groupMaker;
    if (!diagnosis.ok || unenforced.length === 0) return diagnosis;
    return { ok: true, detail: `${diagnosis.detail}; ${notEnforced(unenforced)}` };
  }

  start(spec: SandboxSpec, onProgress: (text: string) => void): Promise<void> {
    return this.#inTurn(spec.id, async () => {
      checkSpec(spec, this.#stateDir);
      try {
        await this.#start(spec, onProgress);
      } catch (error) {
        // What went wrong first is what the user can do something about.
        await this.#end(spec.id, spec.directories.run).catch(() => undefined);
        if (error instanceof DriverError) throw error;
        throw new DriverError(`The sandbox cannot be started: ${(error as Error).message}`);
      }
    });
  }

  status(id: string): Promise<SandboxStatus> {
    const first = this.#find(id)?.first;
    if (first === undefined) return Promise.resolve('gone');
    const isPaused = first.state === 'T' || SandboxGroups.of(first.pid, this.#finder.nameOf(id)).isFrozen;
    return Promise.resolve(isPaused ? 'paused' : 'running');
  }

  pause(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const first = this.#find(id)?.first;
      if (first === undefined) throw new DriverError(`There is no sandbox ${id} to pause; start it first`);
      const groups = SandboxGroups.of(first.pid, this.#finder.nameOf(id));
      if (groups.hasFreezer) await groups.freeze();
      else await stopAll(() => this.#members(id));
    });
  }

  resume(id: string): Promise<void> {
    return this.#inTurn(id, () => {
      const first = this.#find(id)?.first;
      if (first === undefined) throw new DriverError(`There is no sandbox ${id} to resume; start it again`);
      this.#goOn(id, first);
      return Promise.resolve();
    });
  }

  stop(id: string): Promise<void> {
    return this.#inTurn(id, () => this.#end(id));
  }

  list(): Promise<string[]> {
    return Promise.resolve([...this.#finder.findAll().keys()]);
  }

  async close(): Promise<void> {
    await this.#inTurn.settled();
    this.#groupMaker.close();
  }

  async #start(spec: SandboxSpec, onProgress: (text: string) => void): Promise<void> {
    const { id, directories } = spec;
    const name = this.#finder.nameOf(id);
    this.#mayExist ??= new Set(this.#finder.findAll().keys());
    const found = this.#mayExist.has(id) ? this.#find(id) : undefined;
    if (found?.first !== undefined) {
      this.#goOn(id, found.first);
      await awaitSandbox(directories.run, found.first);
      return;
    }
    // Half a sandbox is none: what is left of one would be in the way of the next.
    const isLeft = found !== undefined || this.#isolation.membersOf(found, name).length > 0;
    if (isLeft) await this.#end(id, directories.run);
    this.#mayExist.add(id);
    const isolation = this.#isolation;
    await startSandbox({ spec, name, isolation, groupMaker: this.#groupMaker, onProgress });
  }

  async #end(id: string, givenRun?: string): Promise<void> {
    const found = this.#finder.find(id);
    const process = found?.first ?? found?.monitor;
    const name = this.#finder.nameOf(id);
    // Those of a gateway that was started elsewhere are known by the process alone.
    const groups = [this.#groupMaker.at(name)];
    if (process !== undefined) groups.push(SandboxGroups.of(process.pid, name));
    if (found?.first !== undefined) this.#goOn(id, found.first);
    await endProcesses(
      () => this.#finder.find(id),
      (sandbox) => this.#isolation.membersOf(sandbox, name),
    );
    for (const each of groups) await each.remove();
    const run = givenRun ?? found?.run ?? this.#known.get(id)?.run;
    this.#known.delete(id);
    this.#mayExist?.delete(id);
    if (run === undefined) return;
    await removeTree(join(run, runFiles.socket));
    await removeTree(temporaryOf(run));
  }

  #goOn(id: string, first: ProcessFacts): void {
    SandboxGroups.of(first.pid, this.#finder.nameOf(id)).thaw();
    if (first.state === 'T') continueAll(() => this.#members(id));
  }

  #members(id: string): ProcessFacts[] {
    return this.#isolation.membersOf(this.#find(id), this.#finder.nameOf(id));
  }

  #find(id: string): FoundSandbox | undefined {
    const known = this.#known.get(id);
    const facts = known?.first === undefined ? undefined : factsOf(known.first.pid);
    if (known?.first !== undefined && facts?.startTime === known.first.startTime)
      return { ...known, first: facts };
    const found = this.#finder.find(id);
    if (found === undefined) this.#known.delete(id);
    else this.#known.set(id, found);
    return found;
  }
}
