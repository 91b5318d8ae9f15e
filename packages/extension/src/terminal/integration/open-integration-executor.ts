import * as vscode from 'vscode';
import {
  type ActionContext,
  type Executor,
  type FileHost,
  type RunAction,
  ShellExecutor,
} from '@fairlead/executor';
import type { Observation } from '@fairlead/protocol';
import type { Agent } from '../../sessions/agent.ts';
import type { AgentTerminals } from '../agent-terminals.ts';
import { tabName } from '../shell-tabs.ts';
import { shellKindOf } from './command-line.ts';
import { IntegrationShells, type IntegrationShellsOptions } from './integration-shells.ts';
import { integrationTexts } from './integration-texts.ts';
import { terminalEnvironment } from './terminal-environment.ts';
import { openVscodeTerminal } from './vscode-terminal.ts';

export interface IntegrationRequest {
  agent: Agent;
  workspace: string;
  noChangeTimeoutSeconds: number;
  env: Record<string, string>;
  files: FileHost;
  /** Why it is not a terminal of our own; undefined where the user wanted it so. */
  fallbackReason: string | undefined;
}

/** Runs an agent's commands in terminals of VS Code's, in the shell that the user has there. */
export function openIntegrationExecutor(request: IntegrationRequest, terminals: AgentTerminals): Executor {
  const { agent, workspace, noChangeTimeoutSeconds, files } = request;
  const shells = new TellingShells(request.fallbackReason, {
    kind: shellKindOf(vscode.env.shell),
    workspace,
    noChangeTimeoutSeconds,
    openTerminal: (name, isHidden, { cwd, events }) =>
      openVscodeTerminal({
        name: tabName(agent, name),
        cwd,
        events,
        isHidden,
        env: terminalEnvironment(request.env),
      }),
  });
  const forget = terminals.add({
    agent,
    names: () => shells.names(),
    show: (name) => shells.show(name),
  });
  return new IntegrationExecutor({ shells, files, workspace }, forget);
}

class IntegrationExecutor extends ShellExecutor {
  readonly #forget: () => void;

  constructor(options: ConstructorParameters<typeof ShellExecutor>[0], forget: () => void) {
    super(options);
    this.#forget = forget;
  }

  override async close(): Promise<void> {
    this.#forget();
    await super.close();
  }
}

/** Says once, before the first output, that an agent has less to rely on than it may think. */
class TellingShells extends IntegrationShells {
  #untold: string | undefined;

  constructor(fallbackReason: string | undefined, options: IntegrationShellsOptions) {
    super(options);
    this.#untold = fallbackReason && integrationTexts.fallback(fallbackReason);
  }

  override async run(action: RunAction, context: ActionContext): Promise<Observation> {
    const observation = await super.run(action, context);
    if (observation.observation !== 'run' || this.#untold === undefined) return observation;
    observation.extras.metadata.prefix = this.#untold + observation.extras.metadata.prefix;
    this.#untold = undefined;
    return observation;
  }
}
