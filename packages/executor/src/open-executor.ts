import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, Observation } from '@fairlead/protocol';
import { errorObservation, runObservation } from '@fairlead/protocol/answers';
import { Editor } from './editor/index.ts';
import type { ActionContext, Executor, ExecutorOptions } from './executor.ts';
import { NodeFileHost, readAction, writeAction } from './files/index.ts';
import { Shells } from './shell/shells.ts';
import { chooseTerminals } from './shell/choose-terminals.ts';

/** Opens a session on this machine's own bash and disk, taking over what an earlier process left of it. */
export async function openExecutor(options: ExecutorOptions): Promise<Executor> {
  mkdirSync(options.sessionDir, { recursive: true, mode: 0o700 });
  const { workspace, noChangeTimeoutSeconds, user } = options;
  const env = shellEnvironment(options.env);
  const factory = chooseTerminals(options.terminal, options.sessionDir, env);
  const directory = join(options.sessionDir, 'shells');
  const shells = new Shells({ directory, workspace, factory, noChangeTimeoutSeconds, env, user });
  await shells.takeOver();
  const main = await shells.open('main');
  const owner = user === undefined ? {} : { owner: { uid: user.uid, gid: user.gid } };
  const host = new NodeFileHost(owner);
  return new MachineExecutor(shells, host, workspace, () => main.cwd);
}

class MachineExecutor implements Executor {
  readonly shells: Shells;
  readonly #host: NodeFileHost;
  readonly #workspace: string;
  readonly #editor: Editor;
  readonly #mainDirectory: () => string;

  constructor(shells: Shells, host: NodeFileHost, workspace: string, mainDirectory: () => string) {
    this.shells = shells;
    this.#host = host;
    this.#workspace = workspace;
    this.#editor = new Editor({ host, workspaceRoot: workspace });
    this.#mainDirectory = mainDirectory;
  }

  async execute(action: Action, context: ActionContext): Promise<Observation> {
    switch (action.action) {
      case 'run':
        return this.#run(action, context);
      case 'read':
        return readAction(action.args, {
          host: this.#host,
          cwd: this.#mainDirectory(),
          workspaceRoot: this.#workspace,
        });
      case 'write':
        return writeAction(action.args, {
          host: this.#host,
          cwd: this.#mainDirectory(),
          workspaceRoot: this.#workspace,
        });
      case 'edit':
        return this.#editor.edit(action.args);
      case 'run_ipython':
        return errorObservation(
          'ERROR: This runtime has no notebook kernel. Run Python with the `run` action instead.',
        );
      case 'browse':
      case 'browse_interactive':
        return errorObservation('Browser functionality is not supported or disabled.');
    }
  }

  resume(
    actionId: string,
    { signal }: ActionContext,
    timeoutSeconds?: number,
  ): Promise<Observation> | undefined {
    return this.shells.outcomeOf(actionId, {
      actionId,
      blocking: false,
      hidden: false,
      timeoutSeconds,
      signal,
    });
  }

  close(): Promise<void> {
    return this.shells.close();
  }

  async #run(action: Extract<Action, { action: 'run' }>, context: ActionContext): Promise<Observation> {
    const { args, timeout: timeoutSeconds, shell } = action;
    const { command, is_input: isInput, blocking, hidden } = args;
    const request = { ...context, command, isInput, blocking, hidden, timeoutSeconds };
    try {
      if (args.is_static) return await this.shells.runStatic(args, request);
      const session = await this.shells.open(shell);
      return await session.run(request);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const text = `ERROR: The shell could not be started: ${reason}. Nothing was executed; send it again to retry.`;
      return hidden ? runObservation(command, text, {}, true) : errorObservation(text);
    }
  }
}

/** What every shell starts with; the caller's own values win. */
function shellEnvironment(env: Record<string, string>): Record<string, string> {
  return { LANG: 'C.UTF-8', TERM: 'xterm-256color', GIT_PAGER: 'cat', ...env };
}
