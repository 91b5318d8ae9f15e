import * as vscode from 'vscode';
import { type Executor, type FileHost, openExecutor, ptyProblem } from '@fairlead/executor';
import type { Agent } from '../sessions/agent.ts';
import { openIntegrationExecutor } from './integration/open-integration-executor.ts';
import { shellEnvironment } from './shell-environment.ts';
import { showShells } from './shell-tabs.ts';
import { AgentTerminals } from './agent-terminals.ts';

export interface EngineOptions {
  /** The extension host's own environment. */
  hostEnv: Record<string, string | undefined>;
  log(line: string): void;
}

export interface EngineRequest {
  agent: Agent;
  /** Where the agent's shells start: a directory of this machine. */
  workspace: string;
  /** Private directory (mode 0700) of the session's state. */
  sessionDir: string;
  noChangeTimeoutSeconds: number;
  /** What the session's owner wants in the environment. */
  env: Record<string, string>;
  files: FileHost;
}

type EngineKind = 'pty' | 'shellIntegration';

/** What runs agents' commands in this window, and shows them to the user. */
export class Engines {
  readonly #options: EngineOptions;
  readonly #terminals = new AgentTerminals();
  #hasTold = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** The executor of one agent, by the engine of the user's choice where it works. Its shells show in tabs. */
  async open(request: EngineRequest): Promise<Executor> {
    const { agent, workspace, sessionDir, noChangeTimeoutSeconds, files } = request;
    const env = shellEnvironment(this.#options.hostEnv, request.env);
    const wanted = vscode.workspace.getConfiguration('fairlead.terminal').get<EngineKind>('engine', 'pty');
    const problem = wanted === 'pty' ? await ptyProblem(env) : undefined;
    if (problem !== undefined) this.#tell(problem);
    if (wanted === 'shellIntegration' || problem !== undefined)
      return openIntegrationExecutor({ ...request, fallbackReason: problem }, this.#terminals);
    const executor = await openExecutor({
      workspace,
      sessionDir,
      terminal: 'pty',
      noChangeTimeoutSeconds,
      env,
      files,
      startsShellLate: true,
    });
    const tabs = showShells(agent, executor.shells);
    const forget = this.#terminals.add(tabs);
    return closingWith(executor, () => {
      forget();
      tabs.dispose();
    });
  }

  /** For the command: the user picks whose shell to look at. */
  showTerminal(): Promise<void> {
    return this.#terminals.pick();
  }

  #tell(problem: string): void {
    this.#options.log(`no terminal of our own: ${problem}; commands run by VS Code's shell integration`);
    if (this.#hasTold) return;
    this.#hasTold = true;
    void vscode.window
      .showWarningMessage(
        `Fairlead cannot open a terminal of its own (${problem}). Agents' commands run by VS Code's shell integration instead: some exit codes will be unknown.`,
        'Open Settings',
      )
      .then((choice) => {
        if (choice !== undefined)
          void vscode.commands.executeCommand('workbench.action.openSettings', 'fairlead.terminal');
      });
  }
}

function closingWith(executor: Executor, onClose: () => void): Executor {
  return {
    shells: executor.shells,
    execute: (action, context) => executor.execute(action, context),
    resume: (actionId, context, timeoutSeconds) => executor.resume(actionId, context, timeoutSeconds),
    close: async () => {
      onClose();
      await executor.close();
    },
  };
}
