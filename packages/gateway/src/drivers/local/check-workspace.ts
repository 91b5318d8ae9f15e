import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { DriverError } from '../driver.ts';

/**
 * A folder that was given may belong to somebody else: throws where the session could not even read it, and answers with
 * a warning where it could not write.
 */
export function checkWorkspace(path: string): string | undefined {
  const problem = (what: string) =>
    `the workspace ${path} belongs to user id ${statSync(path).uid}, so that the session cannot ${what} it; ` +
    `give it to user id ${process.getuid?.()}, or run the gateway as its owner`;
  if (!isAllowed(path, constants.R_OK | constants.X_OK)) throw new DriverError(problem('read'));
  return isAllowed(path, constants.W_OK) ? undefined : problem('change');
}

/** A session that works on a folder with the gateway's keys in it would have them all. */
export function checkContent(path: string, stateDir: string): void {
  const way = relative(realpathSync(path), realpathSync(stateDir));
  if (way === '..' || way.startsWith('../')) return;
  throw new DriverError(
    `The workspace ${path} contains the gateway's own state, ${stateDir}; choose another folder, or another --state-dir`,
  );
}

/** In a sandbox root has no capabilities, and so may do what the permissions say, like everybody else. */
function isAllowed(path: string, access: number): boolean {
  if (process.getuid?.() === 0) {
    const { uid, gid, mode } = statSync(path);
    const granted = uid === 0 ? mode >> 6 : gid === 0 ? mode >> 3 : mode;
    return (granted & access) === access;
  }
  try {
    accessSync(path, access);
    return true;
  } catch {
    return false;
  }
}
