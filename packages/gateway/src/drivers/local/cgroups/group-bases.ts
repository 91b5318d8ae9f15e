import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { allControllers, type Controller, groupOf, hierarchies, type Hierarchy } from './hierarchies.ts';

/** A directory in which a group for each sandbox can be made, and what those groups can do. */
export interface GroupBase {
  version: 1 | 2;
  directory: string;
  controllers: Controller[];
}

/**
 * Where this process may make control groups: in the unified hierarchy first, and in those of version 1 for what it
 * does not offer. Empty for most ordinary users and in most containers.
 */
export function openGroupBases(): GroupBase[] {
  const found = hierarchies();
  const bases: GroupBase[] = [];
  for (const hierarchy of found.toSorted((one, other) => other.version - one.version)) {
    const taken = new Set(bases.flatMap((base) => base.controllers));
    const base = hierarchy.version === 2 ? unifiedBase(hierarchy) : legacyBase(hierarchy);
    const controllers = base?.controllers.filter((controller) => !taken.has(controller)) ?? [];
    if (base !== undefined && controllers.length > 0) bases.push({ ...base, controllers });
  }
  return bases;
}

const baseName = 'fairlead';

/**
 * A group with processes of its own cannot share its controllers out, so the base goes to the nearest group above that
 * already does; without any to the nearest where groups can be made at all, for the freezer, which each of them has.
 */
function unifiedBase(hierarchy: Hierarchy): GroupBase | undefined {
  const own = groupOf('self', hierarchy);
  if (own === undefined) return undefined;
  const places = ancestors(own, hierarchy.mount)
    .filter(isOpen)
    .map((directory) => ({ directory, shared: sharedControllers(directory) }));
  const best = places.toSorted((one, other) => other.shared.length - one.shared.length)[0];
  if (best === undefined) return undefined;
  const directory = join(best.directory, baseName);
  if (!makeBase(directory)) return undefined;
  for (const controller of best.shared) {
    try {
      writeFileSync(join(directory, 'cgroup.subtree_control'), `+${controller}`);
    } catch {
      // Then it does without this one.
    }
  }
  return { version: 2, directory, controllers: ['freezer', ...sharedControllers(directory)] };
}

function legacyBase(hierarchy: Hierarchy): GroupBase | undefined {
  const own = groupOf('self', hierarchy);
  if (own === undefined) return undefined;
  const directory = join(own, baseName);
  if (!makeBase(directory)) return undefined;
  return { version: 1, directory, controllers: hierarchy.controllers };
}

/** It may be there already, and somebody else's. */
function makeBase(directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ancestors(directory: string, top: string): string[] {
  const all = [directory];
  for (let each = directory; each !== top && each.startsWith(top);) all.push((each = dirname(each)));
  return all;
}

/** To be moved from one group to another needs leave for the group that is above both. */
function isOpen(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    accessSync(join(directory, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function sharedControllers(directory: string): Controller[] {
  try {
    const words = readFileSync(join(directory, 'cgroup.subtree_control'), 'utf8').trim().split(' ');
    return allControllers.filter((controller) => words.includes(controller));
  } catch {
    return [];
  }
}
