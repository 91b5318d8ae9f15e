import type { SessionLimits } from '@fairlead/protocol';
import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { type GroupBase, openGroupBases } from './group-bases.ts';
import { limitControllers } from './limits.ts';
import { SandboxGroups } from './sandbox-groups.ts';

export type LimitName = keyof SessionLimits;

/** Makes control groups for sandboxes, as far as this process may. */
export class GroupMaker {
  readonly #prefix: string;
  #bases: GroupBase[] | undefined;

  /** With what the names of all its groups begin. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Limits that are not enforced here when somebody asks for them. */
  get unenforced(): LimitName[] {
    const controllers = new Set(this.#opened.flatMap((base) => base.controllers));
    const names = Object.keys(limitControllers) as LimitName[];
    return names.filter((name) => !controllers.has(limitControllers[name]));
  }

  /** What a sandbox is to join, and which of its limits it is not held to all the same. */
  async make(name: string, limits: SessionLimits): Promise<{ joinFiles: string[]; unenforced: LimitName[] }> {
    const asked = (Object.keys(limits) as LimitName[]).filter((limit) => limits[limit] !== undefined);
    // Another gateway that closes may take the common directory away; then it is made anew.
    for (let attemptsLeft = 2; attemptsLeft > 0; attemptsLeft -= 1) {
      const groups = this.at(name);
      try {
        // One that was left behind has the limits of its time.
        await groups.remove();
        groups.create(limits);
        const { unenforced } = this;
        return {
          joinFiles: groups.joinFiles,
          unenforced: asked.filter((limit) => unenforced.includes(limit)),
        };
      } catch {
        await groups.remove();
        this.#bases = undefined;
      }
    }
    return { joinFiles: [], unenforced: asked };
  }

  /** Where they are, whether they exist or not. */
  at(name: string): SandboxGroups {
    return SandboxGroups.at(this.#opened, name);
  }

  close(): void {
    for (const { directory } of this.#bases ?? []) {
      this.#sweep(directory);
      removeEmpty(directory);
    }
  }

  get #opened(): GroupBase[] {
    if (this.#bases === undefined) {
      this.#bases = openGroupBases();
      for (const { directory } of this.#bases) this.#sweep(directory);
    }
    return this.#bases;
  }

  /** A sandbox that ended by itself leaves its groups. */
  #sweep(directory: string): void {
    const names = existsSync(directory) ? readdirSync(directory) : [];
    for (const name of names) if (name.startsWith(this.#prefix)) removeEmpty(join(directory, name));
  }
}

/** The kernel refuses where there are processes or groups in it. */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // In use, by this gateway or another.
  }
}
