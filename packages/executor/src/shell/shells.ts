import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunArgs } from '@fairlead/protocol';
import type { ActionContext } from '../executor.ts';
import { ProcessScope } from '../processes/process-scope.ts';
import type { CommandShells, RunAction } from './command-shells.ts';
import { findSetpriv } from './find-setpriv.ts';
import { launchScript, type ShellUser, shellVariables } from './launch.ts';
import { PtyTerminalFactory } from './pty-terminal.ts';
import type { ShellOutput } from './session-shells.ts';
import { Shell } from './shell.ts';
import { ShellDirectory } from './shell-directory.ts';
import { type RunRequest, ShellSession } from './shell-session.ts';
import type { TerminalFactory } from './terminal.ts';

/** Wide, because programs cut what does not fit; and a screen of it is still shown whole. */
const size = { cols: 500, rows: 50 };

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
  /** Its listeners were told that it has ended: what it still prints on its way out is for nobody. */
  isEnded: boolean;
}

/** The named shells of a session. */
export class Shells implements CommandShells {
  readonly #options: ShellsOptions;
  readonly #open = new Map<string, OpenShell>();
  /** Those of the open shells that have come up. */
  readonly #sessions = new Map<string, ShellSession>();
  readonly #closing = new Set<Promise<void>>();
  readonly #listeners = new Set<(output: ShellOutput) => void>();
  readonly #endListeners = new Set<(name: string) => void>();
  /** For shells that live no longer than this process; those in tmux do. */
  readonly #setpriv: string | undefined;
  #staticCount = 0;
  #isClosed = false;

  constructor(options: ShellsOptions) {
    this.#options = options;
    this.#setpriv = options.factory.kind === 'pty' ? findSetpriv(options.env) : undefined;
    // Another user's shells must be able to pass through to their own directories.
    mkdirSync(options.directory, { recursive: true, mode: options.user === undefined ? 0o700 : 0o711 });
  }

  names(): string[] {
    return [...this.#open.keys()];
  }

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

  async end(name: string): Promise<boolean> {
    const found = this.#open.get(name);
    if (found === undefined) return false;
    this.#open.delete(name);
    this.#sessions.delete(name);
    found.isEnded = true;
    for (const listener of this.#endListeners) listener(name);
    await this.#close(found);
    return true;
  }

  async run({ args, timeout, shell }: RunAction, { actionId, signal }: ActionContext): Promise<Answer> {
    const { command, is_input: isInput, blocking, hidden } = args;
    const request = { actionId, signal, command, isInput, blocking, hidden, timeoutSeconds: timeout };
    if (args.is_static) return this.#runStatic(args, request);
    const session = await this.open(shell);
    return session.run(request);
  }

  outcomeOf(
    actionId: string,
    { signal }: ActionContext,
    timeoutSeconds?: number,
  ): Promise<Answer> | undefined {
    const request = { actionId, signal, timeoutSeconds, blocking: false, hidden: false };
    for (const session of this.#sessions.values()) {
      const outcome = session.outcomeOf(actionId, request);
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }

  directoryOf(name: string): string {
    return this.#sessions.get(name)?.cwd ?? this.#options.workspace;
  }

  onOutput(listener: (output: ShellOutput) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onEnd(listener: (name: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

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

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.names().map((name) => this.end(name)), ...this.#closing]);
    await this.#options.factory.close();
  }

  /** A fresh shell for one command, which ends with it. */
  async #runStatic(args: RunArgs, request: RunRequest): Promise<Answer> {
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

  #start(name: string, cwd: string, factory: TerminalFactory): OpenShell {
    const { env, user, noChangeTimeoutSeconds } = this.#options;
    const path = join(this.#options.directory, name);
    const directory = new ShellDirectory(path, factory.kind === 'tmux', user);
    const scope = new ProcessScope(path);
    const { initFile, goneFile, secret } = directory;
    const launch = launchScript({ secret, initFile, goneFile, cwd, scope, user, setpriv: this.#setpriv });
    const launchFile = directory.writeLaunchScript(launch);
    const shellEnv = { ...env, ...shellVariables(scope, user) };
    const options = { name, directory, factory, cwd, size: { ...size }, launchFile, env: shellEnv };
    const session = ShellSession.open({
      name,
      noChangeTimeoutSeconds,
      makeShell: (onOutput) => new Shell({ ...options, onOutput }),
      onOutput: (data, actionId) => {
        if (opened.isEnded) return;
        for (const listener of this.#listeners) listener({ shell: name, actionId, data });
      },
    });
    const opened: OpenShell = { session, scope, directory, isEnded: false };
    return opened;
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
