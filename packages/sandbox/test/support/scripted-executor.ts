import type {
  ActionContext,
  AttachableShell,
  Executor,
  SessionShells,
  ShellOutput,
} from '@fairlead/executor';
import { type Action, errorObservation, type Observation, runObservation } from '@fairlead/protocol';

/**
 * An executor without processes, for what a test must control to the byte: `hold` waits for `release` or a cancel,
 * `fail` rejects, anything else answers with itself.
 */
export class ScriptedExecutor implements Executor {
  readonly executed: string[] = [];
  readonly resumable = new Map<string, Observation>();
  readonly sessions = new Map<string, ScriptedShell>();
  readonly #listeners = new Set<(output: ShellOutput) => void>();
  readonly #held = new Set<() => void>();
  isClosed = false;

  async execute(action: Action, { signal }: ActionContext): Promise<Observation> {
    const command = 'command' in action.args ? action.args.command : action.action;
    this.executed.push(command);
    if (command === 'fail') throw new Error('scripted failure');
    if (command === 'hold') return this.#hold(command, signal);
    return runObservation(command, command, { exit_code: 0 });
  }

  resume(actionId: string): Promise<Observation> | undefined {
    const observation = this.resumable.get(actionId);
    return observation && Promise.resolve(observation);
  }

  release(): void {
    for (const go of this.#held) go();
    this.#held.clear();
  }

  emit(data: Uint8Array | string, actionId: string | null = null, shell = 'main'): void {
    for (const listener of this.#listeners) listener({ shell, actionId, data: Buffer.from(data) });
  }

  readonly shells: SessionShells = {
    names: () => [...this.sessions.keys()],
    open: async (name: string): Promise<ScriptedShell> => {
      const session =
        this.sessions.get(name) ?? new ScriptedShell(name, (data) => this.emit(data, null, name));
      this.sessions.set(name, session);
      return session;
    },
    end: async (name: string) => this.sessions.delete(name),
    onOutput: (listener: (output: ShellOutput) => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    onEnd: () => () => undefined,
    holds: () => false,
  };

  async close(): Promise<void> {
    this.isClosed = true;
  }

  #hold(command: string, signal: AbortSignal | undefined): Promise<Observation> {
    return new Promise((resolve) => {
      this.#held.add(() => resolve(runObservation(command, 'released', { exit_code: 0 })));
      signal?.addEventListener('abort', () => resolve(errorObservation('cancelled')));
    });
  }
}

/** Echoes what is typed. */
export class ScriptedShell implements AttachableShell {
  readonly name: string;
  readonly cwd = '/';
  readonly pid = 1;
  size = { cols: 80, rows: 24 };
  recent = Buffer.from('$ ');
  readonly #echo: (data: Uint8Array | string) => void;

  constructor(name: string, echo: (data: Uint8Array | string) => void) {
    this.name = name;
    this.#echo = echo;
  }

  type(data: string | Uint8Array): void {
    this.#echo(data);
  }

  resize(size: { cols: number; rows: number }): void {
    this.size = size;
  }

  lend(size: { cols: number; rows: number }): void {
    this.size = size;
  }

  recentOutput(): Buffer {
    return this.recent;
  }
}
