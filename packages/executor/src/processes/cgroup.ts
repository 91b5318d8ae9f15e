import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A control group of our own: every process born in it stays in it, however it forks. */
export class Cgroup {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Undefined where this process may not make control groups, or the kernel cannot kill one (before 5.14). */
  static open(name: string): Cgroup | undefined {
    const parent = ownGroup();
    if (parent === undefined) return undefined;
    const path = join(parent, name);
    try {
      mkdirSync(path, { recursive: true });
      if (existsSync(join(path, 'cgroup.kill'))) return new Cgroup(path);
      rmdirSync(path);
    } catch {
      // Not ours to make: containers and ordinary users mostly have them read-only.
    }
    return undefined;
  }

  /** What a process writes its id to, to join. */
  get joinFile(): string {
    return join(this.#path, 'cgroup.procs');
  }

  async kill(): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      try {
        writeFileSync(join(this.#path, 'cgroup.kill'), '1');
        rmdirSync(this.#path);
        return;
      } catch {
        if (!existsSync(this.#path)) return;
        // The kernel needs a moment to bury the dead; it has no event for it that Node can wait on.
        await delay(5);
      }
    }
  }
}

function ownGroup(): string | undefined {
  try {
    const group = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    const mount = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/self/mounts', 'utf8'))?.[1];
    return group === undefined || mount === undefined ? undefined : join(mount, group);
  } catch {
    return undefined;
  }
}
