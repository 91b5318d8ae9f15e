import type { Action, Observation } from '@fairlead/protocol';
import { errorObservation, runObservation } from '@fairlead/protocol/answers';
import { Editor } from './editor/index.ts';
import type { ActionContext, Executor } from './executor.ts';
import { type FileContext, type FileHost, readAction, writeAction } from './files/index.ts';
import type { CommandShells, RunAction } from './shell/command-shells.ts';

export interface ShellExecutorOptions {
  shells: CommandShells;
  files: FileHost;
  workspace: string;
}

/** Does every family of actions on the shells and the files it is given. */
export class ShellExecutor implements Executor {
  readonly shells: CommandShells;
  readonly #files: FileHost;
  readonly #workspace: string;
  readonly #editor: Editor;

  constructor({ shells, files, workspace }: ShellExecutorOptions) {
    this.shells = shells;
    this.#files = files;
    this.#workspace = workspace;
    this.#editor = new Editor({ host: files, workspaceRoot: workspace });
  }

  async execute(action: Action, context: ActionContext): Promise<Observation> {
    switch (action.action) {
      case 'run':
        return this.#run(action, context);
      case 'read':
        return readAction(action.args, this.#fileContext());
      case 'write':
        return writeAction(action.args, this.#fileContext());
      case 'edit':
        return this.#editor.edit(action.args);
      case 'run_ipython':
        return errorObservation(
          'ERROR: This runtime has no notebook kernel. Run Python with the `run` action instead.',
        );
      case 'browse':
      case 'browse_interactive':
        return errorObservation('Browser functionality is not supported or disabled.');
      case 'vscode':
        return errorObservation(
          'ERROR: This runtime has no editor. Requests to VS Code work in the session of a window only.',
        );
    }
  }

  resume(
    actionId: string,
    context: ActionContext,
    timeoutSeconds?: number,
  ): Promise<Observation> | undefined {
    return this.shells.outcomeOf(actionId, context, timeoutSeconds);
  }

  close(): Promise<void> {
    return this.shells.close();
  }

  #fileContext(): FileContext {
    return { host: this.#files, cwd: this.shells.directoryOf('main'), workspaceRoot: this.#workspace };
  }

  async #run(action: RunAction, context: ActionContext): Promise<Observation> {
    try {
      return await this.shells.run(action, context);
    } catch (error) {
      const { command, hidden } = action.args;
      const reason = error instanceof Error ? error.message : String(error);
      const text = `ERROR: The shell could not be started: ${reason}. Nothing was executed; send it again to retry.`;
      return hidden ? runObservation(command, text, {}, true) : errorObservation(text);
    }
  }
}
