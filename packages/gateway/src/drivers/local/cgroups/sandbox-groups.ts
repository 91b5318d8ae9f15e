import type { SessionLimits } from '@fairlead/protocol';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '../../driver.ts';
import type { GroupBase } from './group-bases.ts';
import { type Controller, groupOf, hierarchies } from './hierarchies.ts';
import { setLimits } from './limits.ts';

interface Group {
  version: 1 | 2;
  directory: string;
  controllers: Controller[];
}

/** The control groups of one sandbox: one of each hierarchy that is of use. */
export class SandboxGroups {
  readonly #groups: Group[];

  private constructor(groups: Group[]) {
    this.#groups = groups;
  }

  /** Where a sandbox's groups are, whether they exist or not. */
  static at(bases: GroupBase[], name: string): SandboxGroups {
    return new SandboxGroups(bases.map((base) => ({ ...base, directory: join(base.directory, name) })));
  }

  /** The groups that a process of the sandbox is in, also those of a gateway that was started elsewhere. */
  static of(pid: number, name: string): SandboxGroups {
    return new SandboxGroups(
      hierarchies().flatMap(({ version, mount, controllers }) => {
        const directory = groupOf(pid, { version, mount, controllers });
        return directory?.endsWith(`/${name}`) === true ? [{ version, directory, controllers }] : [];
      }),
    );
  }

  create(limits: SessionLimits): void {
    for (const { version, directory, controllers } of this.#groups) {
      mkdirSync(directory, { recursive: true });
      setLimits(directory, version, controllers, limits);
    }
  }

  /** What a process writes its id to, to join. */
  get joinFiles(): string[] {
    return this.#groups.map(({ directory }) => join(directory, 'cgroup.procs'));
  }

  get hasFreezer(): boolean {
    return this.#freezer !== undefined;
  }

  get isFrozen(): boolean {
    const freezer = this.#freezer;
    if (freezer === undefined) return false;
    const { version, directory } = freezer;
    return version === 2
      ? /^frozen 1$/m.test(readOrEmpty(join(directory, 'cgroup.events')))
      : readOrEmpty(join(directory, 'freezer.state')).trim() === 'FROZEN';
  }

  async freeze(): Promise<void> {
    this.#setFrozen(true);
    for (let round = 0; !this.isFrozen; round += 1) {
      if (round > 1_000) {
        this.#setFrozen(false);
        throw new DriverError('The sandbox could not be paused: a process of it did not stop; try again');
      }
      await delay(5);
    }
  }

  thaw(): void {
    this.#setFrozen(false);
  }

  /** Ends every process in them, however it got there, and the groups themselves. */
  async remove(): Promise<void> {
    for (const { version, directory } of this.#groups) {
      for (let round = 0; existsSync(directory) && round < 400; round += 1) {
        if (version === 2) writeIfThere(join(directory, 'cgroup.kill'), '1');
        if (removeTree(directory)) break;
        // The kernel needs a moment to bury the dead, and has no event for it that Node can wait on.
        await delay(5);
      }
    }
  }

  get #freezer(): Group | undefined {
    return this.#groups.find(({ controllers }) => controllers.includes('freezer'));
  }

  #setFrozen(isFrozen: boolean): void {
    const freezer = this.#freezer;
    if (freezer?.version === 2) writeIfThere(join(freezer.directory, 'cgroup.freeze'), isFrozen ? '1' : '0');
    if (freezer?.version === 1)
      writeIfThere(join(freezer.directory, 'freezer.state'), isFrozen ? 'FROZEN' : 'THAWED');
  }
}

/** Groups below it first; false while there are processes in one of them. */
function removeTree(directory: string): boolean {
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true }))
      if (entry.isDirectory()) removeTree(join(directory, entry.name));
    rmdirSync(directory);
    return true;
  } catch {
    return !existsSync(directory);
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function writeIfThere(path: string, text: string): void {
  if (existsSync(path)) writeFileSync(path, text);
}
