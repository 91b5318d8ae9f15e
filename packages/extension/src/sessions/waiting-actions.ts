import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action } from '@fairlead/protocol';

/**
 * The actions of a session that wait for the user and of which nothing is done yet, on disk: a window that is reloaded
 * meanwhile can ask again. Of any other action that it finds unfinished, nobody knows how far it came.
 */
export class WaitingActions {
  readonly #directory: string;
  readonly #waiting = new Set<string>();

  constructor(sessionDir: string) {
    this.#directory = join(sessionDir, 'waiting');
  }

  has(actionId: string): boolean {
    return this.#waiting.has(actionId);
  }

  add(actionId: string, action: Action): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(this.#path(actionId), JSON.stringify(action), { mode: 0o600 });
    this.#waiting.add(actionId);
  }

  /** Before anything of it is done. */
  remove(actionId: string): void {
    if (this.#waiting.delete(actionId)) rmSync(this.#path(actionId), { force: true });
  }

  /** What an earlier extension host left waiting. It waits until consent has been asked for again. */
  recall(actionId: string): Action | undefined {
    try {
      const action = JSON.parse(readFileSync(this.#path(actionId), 'utf8')) as Action;
      this.#waiting.add(actionId);
      return action;
    } catch {
      return undefined;
    }
  }

  /** Clients choose the ids. */
  #path(actionId: string): string {
    return join(this.#directory, `${Buffer.from(actionId).toString('base64url')}.json`);
  }
}
