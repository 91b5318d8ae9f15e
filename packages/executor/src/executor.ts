import type { Action, Observation } from '@fairlead/protocol';
import type { FileHost } from './files/file-host.ts';
import type { ShellUser } from './shell/launch.ts';
import type { SessionShells } from './shell/session-shells.ts';

/** Does actions. Knows no wire: servers and windows stand on this. */
export interface Executor {
  /**
   * Answers by the action's deadline, always. An abort ends what the action started: a running command is
   * interrupted, and the observation says so. Never rejects for what an action can cause.
   */
  execute(action: Action, context: ActionContext): Promise<Observation>;
  /**
   * The answer of a command that an earlier process started under this id and that this one found again:
   * waits for it like `execute`. Undefined where its fate is unknown.
   */
  resume(actionId: string, context: ActionContext, timeoutSeconds?: number): Promise<Observation> | undefined;
  readonly shells: SessionShells;
  /** Ends every process of the session. */
  close(): Promise<void>;
}

export interface ActionContext {
  actionId: string;
  signal?: AbortSignal;
}

export interface ExecutorOptions {
  workspace: string;
  /** Private directory (mode 0700) of the session's state; a second executor on it takes the session over. */
  sessionDir: string;
  terminal: 'tmux' | 'pty' | 'auto';
  /** Seconds without new output after which a command that is not `blocking` answers with what there is. */
  noChangeTimeoutSeconds: number;
  /** Environment of the shells. Secrets of the server must not be in it. */
  env: Record<string, string>;
  /** Whose shells these are; the server's own user when absent. */
  user?: ShellUser | undefined;
  /** Where files are read and written; this machine's own disk when absent. */
  files?: FileHost | undefined;
  /** Whether the main shell waits until somebody needs it; else it is up before the first action. */
  startsShellLate?: boolean;
}
