import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunArgs } from '@fairlead/protocol';
import { ProcessScope } from '../processes/process-scope.ts';
import { launchScript, type ShellUser, shellVariables } from './launch.ts';
import { PtyTerminalFactory } from './pty-terminal.ts';
import { ShellDirectory } from './shell-directory.ts';
import { type RunRequest, ShellSession } from './shell-session.ts';
import type { TerminalFactory } from './terminal.ts';

/** Wide, because programs cut what does not fit; and a screen of it is still shown whole. */
const size = { cols: 500, rows: 50 };

export interface ShellOutput {
  shell: string;
  /** The action whose command is running, null for a person's typing or a background job. */
  actionId: string | null;
  data: Buffer;
}

export interface ShellsOptions {
  /** Where each shell has its private directory. */
  directory: string;
  workspace: string;
  factory: TerminalFactory;
  noChangeTimeoutSeconds: number;
  env: Record<string, string>;
  user?: ShellUser | undefined;
}

type Answer = Awaited<ReturnType<ShellSession['run']>>;

interface OpenShell {
  session: Promise<ShellSession>;
  scope: ProcessScope;
  directory: ShellDirectory;
}

/** The named shells of a session. */
export class Shells {
  readonly #options: ShellsOptions;
  readonly #open = new Map<string, OpenShell>();
  /** Those of the open shells that have come up. */
  readonly #sessions = new Map<string, ShellSession>();
  readonly #closing = new Set<Promise<void>>();
  readonly #listeners = new Set<(output: ShellOutput) => void>();
  #staticCount = 0;
  #isClosed = false;

  constructor(options: ShellsOptions) {
    this.#options = options;
    // Another user's shells must be able to pass through to their own directories.
    mkdirSync(options.directory, { recursive: true, mode: options.user === undefined ? 0o700 : 0o711 });
  }

  names(): string[] {
    return [...this.#open.keys()];
  }

  /** The shell of that name, started if there is none. */
  open(name: string): Promise<ShellSession> {
    const found = this.#open.get(name);
    if (found !== undefined) return found.session;
    if (this.#isClosed) return Promise.reject(new Error('the session has ended'));
    const opened = this.#start(name, this.#options.workspace, this.#options.factory);
    this.#open.set(name, opened);
    // A shell that could not be started is tried anew by the next who asks.
    opened.session.then(
      (session) => this.#sessions.set(name, session),
      () => {
        this.#open.delete(name);
        void this.#close(opened);
      },
    );
    return opened.session;
  }

  /** Ends the shell and all it started; false without one of that name. */
  async end(name: string): Promise<boolean> {
    const found = this.#open.get(name);
    if (found === undefined) return false;
    this.#open.delete(name);
    this.#sessions.delete(name);
    await this.#close(found);
    return true;
  }

  /** The answer of a command that one of the shells started under this id; undefined where none knows it. */
  outcomeOf(actionId: string, request: Omit<RunRequest, 'command' | 'isInput'>): Promise<Answer> | undefined {
    for (const session of this.#sessions.values()) {
      const outcome = session.outcomeOf(actionId, request);
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }

  /** Live terminal bytes of every shell, and whose they are. Returns how to stop. */
  onOutput(listener: (output: ShellOutput) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether the process was started in one of the open shells. */
  holds(pid: number): boolean {
    return [...this.#open.values()].some(({ scope }) => scope.holds(pid));
  }

  /** Finds the shells again that an earlier process left, or ends what is left of them. */
  async takeOver(): Promise<void> {
    const { directory, factory } = this.#options;
    const entries = readdirSync(directory, { withFileTypes: true });
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      if (factory.kind === 'tmux' && !name.startsWith(staticPrefix)) await this.open(name);
      else await this.#forget(join(directory, name));
    }
  }

  /** A fresh shell for one command, which ends with it. */
  async runStatic(args: RunArgs, request: RunRequest): Promise<Answer> {
    if (this.#isClosed) throw new Error('the session has ended');
    if (args.cwd !== null && !existsSync(args.cwd)) throw new Error(`there is no directory ${args.cwd}`);
    this.#staticCount += 1;
    const name = `${staticPrefix}${this.#staticCount}`;
    const shell = this.#start(name, args.cwd ?? this.#options.workspace, new PtyTerminalFactory());
    try {
      const session = await shell.session;
      return await session.run(request);
    } finally {
      // The answer need not wait until the last process is gone.
      void this.#close(shell);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.names().map((name) => this.end(name)), ...this.#closing]);
    await this.#options.factory.close();
  }

  #start(name: string, cwd: string, factory: TerminalFactory): OpenShell {
    const { env, user, noChangeTimeoutSeconds } = this.#options;
    const path = join(this.#options.directory, name);
    const directory = new ShellDirectory(path, factory.kind === 'tmux', user);
    const scope = new ProcessScope(path);
    const { initFile, goneFile, secret } = directory;
    const launch = launchScript({ secret, initFile, goneFile, cwd, scope, user });
    const launchFile = directory.writeLaunchScript(launch);
    const session = ShellSession.open({
      name,
      directory,
      factory,
      cwd,
      size: { ...size },
      noChangeTimeoutSeconds,
      launchFile,
      env: { ...env, ...shellVariables(scope, user) },
      onOutput: (data, actionId) => {
        for (const listener of this.#listeners) listener({ shell: name, actionId, data });
      },
    });
    return { session, scope, directory };
  }

  #close({ session, scope, directory }: OpenShell): Promise<void> {
    const closed = session
      .then((open) => open.close())
      .catch(() => {})
      .then(() => scope.kill())
      .then(() => directory.remove())
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
    return closed;
  }

  async #forget(directory: string): Promise<void> {
    await new ProcessScope(directory).kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** No name that a client can choose begins with a dot. */
const staticPrefix = '.static-';
