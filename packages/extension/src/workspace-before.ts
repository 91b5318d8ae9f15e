import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { questionsName, runsName } from './bridge/kept-runs.ts';
import { endedSessionsName, leftAgentsName, windowIdName } from './connection/kept-choices.ts';
import { isMarked, takeMark } from './connection/reload-mark.ts';
import { keptIn, type KeptState } from './kept.ts';

/** What is of the window itself. What the user chose for a workspace is not carried into another one. */
const carriedNames = [
  endedSessionsName,
  leftAgentsName,
  runsName,
  questionsName,
  'conversations',
  // Last: with it, all is taken along.
  windowIdName,
];
/** How long the window that ended may take to come back as what it was. */
const ownWindowMs = 5_000;

/** The folders that the window shows, as long as it is connected. One that is about to end may show none any more. */
export function rememberShown(kept: KeptState, folders: string[]): void {
  if (folders.length > 0) kept('shown').set(folders);
}

/**
 * A window to which a folder is added, or from which one is taken, is another workspace from then on, and VS Code starts
 * its extension host anew: this finds it again, and takes what it remembers along. True when it was connected.
 */
export async function takeOverFromBefore(
  directory: string,
  folders: string[],
  waitMs = ownWindowMs,
): Promise<boolean> {
  const own = keptIn(directory, ignore);
  const isKnown = () => own(windowIdName).get() !== undefined;
  if (isKnown()) return false;
  const before = directoriesBeside(directory)
    .map((path) => keptIn(path, ignore))
    .find((kept) => isPart(kept('shown').get(), folders) && isMarked(kept));
  if (before === undefined) return false;
  // When VS Code is started again it opens all its windows: the one that was meant comes first to what is its own.
  await delay(waitMs, undefined, { ref: false });
  // The user may have connected this one meanwhile.
  if (isKnown() || !takeMark(before)) return false;
  for (const name of carriedNames.filter((name) => own(name).get() === undefined)) {
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
