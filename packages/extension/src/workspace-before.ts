import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { questionsName, runsName } from './bridge/kept-runs.ts';
import { endedSessionsName, leftAgentsName, windowIdName } from './connection/kept-choices.ts';
import { whatWasBefore } from './connection/reload-mark.ts';
import { keptIn, type KeptState } from './kept.ts';

/** What is of the window itself. What the user chose for a workspace is not carried into another one. */
const carriedNames = [
  windowIdName,
  endedSessionsName,
  leftAgentsName,
  runsName,
  questionsName,
  'conversations',
];

/** The folders that the window shows, as long as it is connected. One that is about to end may show none any more. */
export function rememberShown(kept: KeptState, folders: string[]): void {
  if (folders.length > 0) kept('shown').set(folders);
}

/**
 * A window to which a folder is added, or from which one is taken, is another workspace from then on, and VS Code starts
 * its extension host anew: this finds it again, and takes what it remembers along. True when it was connected.
 */
export async function takeOverFromBefore(directory: string, folders: string[]): Promise<boolean> {
  const own = keptIn(directory, ignore);
  const isKnown = () => own(windowIdName).get() !== undefined;
  if (isKnown()) return false;
  const others = directoriesBeside(directory)
    .map((path) => keptIn(path, ignore))
    .filter((kept) => isPart(kept('shown').get(), folders));
  const ends = await Promise.all(
    others.map(async (kept) => ((await whatWasBefore(kept)) === 'reloaded' ? kept : undefined)),
  );
  const before = ends.find((kept) => kept !== undefined);
  // The user may have connected the window meanwhile.
  if (before === undefined || isKnown()) return false;
  for (const name of carriedNames) {
    own(name).set(before(name).get());
    before(name).set(undefined);
  }
  return true;
}

function directoriesBeside(directory: string): string[] {
  try {
    const all = dirname(directory);
    return readdirSync(all)
      .map((name) => join(all, name))
      .filter((path) => path !== directory);
  } catch {
    // Nothing was ever remembered.
    return [];
  }
}

/** Whether one is the other with folders added. */
function isPart(shown: unknown, folders: string[]): boolean {
  if (!Array.isArray(shown) || shown.length === 0 || folders.length === 0) return false;
  const were = shown.map(String);
  return were.every((folder) => folders.includes(folder)) || folders.every((folder) => were.includes(folder));
}

/** What is not remembered is as if it had never been. */
function ignore(): void {}
