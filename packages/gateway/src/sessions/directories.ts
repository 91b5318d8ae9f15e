import { execFile } from 'node:child_process';
import { access, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxDirectories } from '../drivers/driver.ts';
import { runFiles } from '../drivers/inside.ts';

const run = promisify(execFile);

/** The kernel's limit for the address of a Unix socket, without the closing zero. */
const socketPathLimit = 107;
const idLength = 20;

/** Where the sessions of a gateway keep their files. */
export class Directories {
  readonly #root: string;

  constructor(stateDir: string) {
    this.#root = join(stateDir, 'sessions');
    const longest = join(this.#root, 'x'.repeat(idLength), 'run', runFiles.socket);
    if (Buffer.byteLength(longest) > socketPathLimit) {
      const longestRoot = socketPathLimit - (longest.length - stateDir.length);
      throw new Error(
        `The state directory ${stateDir} is too long for the addresses of sockets in it; ` +
          `choose one of at most ${longestRoot} characters with --state-dir`,
      );
    }
  }

  /** A given folder takes the place of the session's own workspace. */
  of(id: string, folder?: string): SandboxDirectories {
    const root = join(this.#root, id);
    return { workspace: folder ?? join(root, 'workspace'), home: join(root, 'home'), run: join(root, 'run') };
  }

  socketOf(id: string): string {
    return join(this.of(id).run, runFiles.socket);
  }

  /** A given folder is there already; one that is not any more must not come about as an empty one. */
  async make(id: string, { workspace, home, run }: SandboxDirectories): Promise<void> {
    const isOwn = workspace === this.of(id).workspace;
    for (const path of isOwn ? [workspace, home, run] : [home, run])
      await mkdir(path, { recursive: true, mode: 0o700 });
  }

  /** For a session whose files are elsewhere. */
  async makeRun(id: string): Promise<void> {
    await mkdir(this.of(id).run, { recursive: true, mode: 0o700 });
  }

  /** Whether the workspace has got what it was to begin with. */
  isFilled(id: string): Promise<boolean> {
    return access(this.#filledMark(id)).then(
      () => true,
      () => false,
    );
  }

  async markFilled(id: string): Promise<void> {
    await writeFile(this.#filledMark(id), '', { mode: 0o600 });
  }

  /** A given folder is not in there, so it stays. */
  async remove(id: string): Promise<void> {
    const root = join(this.#root, id);
    try {
      await rm(root, { recursive: true, force: true });
    } catch {
      // A session may have taken the owner's own permissions away.
      await run('chmod', ['-R', 'u+rwX', root]).catch(() => undefined);
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async list(): Promise<string[]> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    return readdir(this.#root);
  }

  /** Beside the directories that the sandbox sees. */
  #filledMark(id: string): string {
    return join(this.#root, id, 'filled');
  }
}
