import { createHash } from 'node:crypto';
import { Cgroup } from './cgroup.ts';
import { isTagged, killTagged } from './tagged-processes.ts';

/** Environment variable by which a process tells whose it is. */
const scopeVariable = 'FAIRLEAD_SCOPE';

/**
 * All that one shell starts, down to the grandchild that left its session and closed its files. Held together by
 * a control group where we may have one, and by an inherited environment variable everywhere.
 */
export class ProcessScope {
  readonly #tag: string;
  readonly #cgroup: Cgroup | undefined;

  /** The same `key` finds the same processes again after a restart. */
  constructor(key: string) {
    this.#tag = createHash('sha256').update(key).digest('hex').slice(0, 24);
    this.#cgroup = Cgroup.open(`fairlead-${this.#tag}`);
  }

  get environment(): Record<string, string> {
    return { [scopeVariable]: this.#tag };
  }

  /** The file to write the first process's id to, before it becomes what it should be. */
  get joinFile(): string | undefined {
    return this.#cgroup?.joinFile;
  }

  /** Whether the process was started in it. One that has overwritten its environment, to change its title, is not seen. */
  holds(pid: number): boolean {
    return isTagged(pid, scopeVariable, this.#tag);
  }

  async kill(): Promise<void> {
    await this.#cgroup?.kill();
    await killTagged(scopeVariable, this.#tag);
  }
}
