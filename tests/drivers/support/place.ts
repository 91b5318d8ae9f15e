import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxSpec } from '../../../packages/gateway/src/drivers/driver.ts';

/** The user of a test that must not be root. */
export const nobody = 65_534;

/** A state directory, and sessions in it as a gateway makes them. */
export class Place {
  readonly stateDir: string;
  readonly #owner: number | undefined;

  /** With an owner everything in it belongs to that user. */
  constructor(owner?: number) {
    this.#owner = owner;
    this.stateDir = mkdtempSync(join(tmpdir(), 'drivers-'));
    chmodSync(this.stateDir, 0o700);
    this.giveAway(this.stateDir);
  }

  spec(changes: Partial<SandboxSpec> = {}): SandboxSpec {
    const id = changes.id ?? newId();
    const session = join(this.stateDir, 'sessions', id);
    const directories = {
      workspace: join(session, 'workspace'),
      home: join(session, 'home'),
      run: join(session, 'run'),
    };
    for (const path of [join(this.stateDir, 'sessions'), session, ...Object.values(directories)]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      this.giveAway(path);
    }
    return { id, directories, image: null, env: {}, limits: {}, ...changes };
  }

  giveAway(path: string): void {
    if (this.#owner !== undefined) chownSync(path, this.#owner, this.#owner);
  }

  remove(): void {
    rmSync(this.stateDir, { recursive: true, force: true });
  }
}

/** As the gateway makes them; random, so that a test finds what is left of its own by it. */
export function newId(): string {
  return `t${randomBytes(10).toString('hex').slice(0, 19)}`;
}
