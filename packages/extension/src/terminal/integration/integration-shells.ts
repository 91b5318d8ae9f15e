import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import {
  type ActionContext,
  type CommandShells,
  type RunAction,
  type RunRequest,
  type ShellOutput,
  ShellSession,
} from '@fairlead/executor';
import type { Observation } from '@fairlead/protocol';
import type { ShellKind } from './command-line.ts';
import type { EditorTerminal, EditorTerminalRequest } from './editor-terminal.ts';
import { IntegratedShell } from './integrated-shell.ts';

export interface IntegrationShellsOptions {
  kind: ShellKind;
  workspace: string;
  noChangeTimeoutSeconds: number;
  /** A static shell is there for one command and is not shown. */
  openTerminal(name: string, isStatic: boolean, request: EditorTerminalRequest): EditorTerminal;
}

interface OpenShell {
  session: ShellSession;
  shell: IntegratedShell;
}

/** The named shells of an agent, each in a terminal of VS Code's. */
export class IntegrationShells implements CommandShells {
  readonly #options: IntegrationShellsOptions;
  readonly #open = new Map<string, OpenShell>();
  readonly #opening = new Map<string, Promise<OpenShell>>();
  readonly #listeners = new Set<(output: ShellOutput) => void>();
  readonly #endListeners = new Set<(name: string) => void>();
  #isClosed = false;

  constructor(options: IntegrationShellsOptions) {
    this.#options = options;
  }

  names(): string[] {
    return [...this.#open.keys()];
  }

  async open(name: string): Promise<ShellSession> {
    if (this.#isClosed) throw new Error('the session has ended');
    const opening = this.#opening.get(name) ?? this.#start(name, this.#options.workspace, false);
    this.#opening.set(name, opening);
    const opened = await opening;
    if (this.#opening.get(name) === opening) this.#open.set(name, opened);
    return opened.session;
  }

  async end(name: string): Promise<boolean> {
    const found = this.#open.get(name);
    if (found === undefined) return false;
    this.#open.delete(name);
    this.#opening.delete(name);
    for (const listener of this.#endListeners) listener(name);
    await found.session.close();
    return true;
  }

  show(name: string): void {
    this.#open.get(name)?.shell.show();
  }

  onOutput(listener: (output: ShellOutput) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onEnd(listener: (name: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** VS Code does not tell what runs in its terminals. */
  holds(): boolean {
    return false;
  }

  async run({ args, timeout, shell }: RunAction, { actionId, signal }: ActionContext): Promise<Observation> {
    const { command, is_input: isInput, blocking, hidden } = args;
    const request = { actionId, signal, command, isInput, blocking, hidden, timeoutSeconds: timeout };
    if (args.is_static) return this.#runStatic(args.cwd ?? this.#options.workspace, request);
    const session = await this.open(shell);
    return session.run(request);
  }

  /** Terminals do not outlive the window that could have told how their commands ended. */
  outcomeOf(): undefined {
    return undefined;
  }

  directoryOf(name: string): string {
    return this.#open.get(name)?.session.cwd ?? this.#options.workspace;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.names().map((name) => this.end(name)));
  }

  async #runStatic(cwd: string, request: RunRequest): Promise<Observation> {
    if (!existsSync(cwd)) throw new Error(`there is no directory ${cwd}`);
    const { session } = await this.#start('.static', cwd, true);
    try {
      return await session.run(request);
    } finally {
      void session.close();
    }
  }

  async #start(name: string, cwd: string, isStatic: boolean): Promise<OpenShell> {
    const { kind, noChangeTimeoutSeconds, openTerminal } = this.#options;
    let shell: IntegratedShell | undefined;
    const session = await ShellSession.open({
      name,
      noChangeTimeoutSeconds,
      makeShell: (onOutput) =>
        (shell = new IntegratedShell({
          kind,
          cwd,
          user: userInfo().username,
          host: hostname().split('.')[0] ?? '',
          openTerminal: (request) => openTerminal(name, isStatic, request),
          onOutput,
        })),
      onOutput: (data, actionId) => {
        for (const listener of this.#listeners) listener({ shell: name, actionId, data });
      },
    });
    return { session, shell: shell as IntegratedShell };
  }
}
