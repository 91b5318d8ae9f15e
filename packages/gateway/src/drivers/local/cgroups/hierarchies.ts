import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a control group can do for a sandbox. */
export type Controller = 'memory' | 'pids' | 'cpu' | 'freezer';

/** A tree of control groups. The unified one (version 2) may have any controllers, one of version 1 has those of its mount. */
export interface Hierarchy {
  version: 1 | 2;
  mount: string;
  controllers: Controller[];
}

export function hierarchies(): Hierarchy[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .flatMap((line): Hierarchy[] => {
      const [, mount = '', type, options = ''] = line.split(' ');
      if (type === 'cgroup2') return [{ version: 2, mount, controllers: ['freezer'] }];
      if (type !== 'cgroup') return [];
      const words = options.split(',');
      const controllers = allControllers.filter((controller) => words.includes(controller));
      return controllers.length === 0 ? [] : [{ version: 1, mount, controllers }];
    });
}

export const allControllers: Controller[] = ['memory', 'pids', 'cpu', 'freezer'];

/** The group of a process in a hierarchy, as a directory. */
export function groupOf(pid: number | 'self', hierarchy: Hierarchy): string | undefined {
  for (const line of readGroups(pid)) {
    const [, controllers = '', ...path] = line.split(':');
    const isIt =
      hierarchy.version === 2
        ? controllers === ''
        : hierarchy.controllers.every((controller) => controllers.split(',').includes(controller));
    if (!isIt) continue;
    const directory = join(hierarchy.mount, path.join(':'));
    // In a container the mount may begin at its own group, while the path begins at the machine's.
    return existsSync(directory) ? directory : hierarchy.mount;
  }
  return undefined;
}

function readGroups(pid: number | 'self'): string[] {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n');
  } catch {
    return [];
  }
}
