import * as vscode from 'vscode';
import { connectionLine } from './connection/connection-line.ts';
import type { ConnectionState } from './connection/window-connection.ts';
import type { Agent } from './sessions/agent.ts';

export interface Status {
  connection: ConnectionState;
  agents: Agent[];
  waitingApprovals: number;
}

/** Who is connected, and whether somebody waits for the user. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('fairlead.status', vscode.StatusBarAlignment.Left, 50);

  constructor() {
    this.#item.name = 'Fairlead';
    this.#item.command = 'fairlead.showAgents';
  }

  show(status: Status): void {
    const { text, isUrgent } = statusText(status);
    this.#item.text = text;
    this.#item.tooltip = statusTooltip(status);
    this.#item.backgroundColor = isUrgent
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function statusText({ connection, agents, waitingApprovals }: Status): { text: string; isUrgent: boolean } {
  const who = agents.length === 1 ? agents[0]!.name : `${agents.length} agents`;
  if (waitingApprovals > 0) {
    return { text: `$(bell-dot) ${who}: ${waitingApprovals} to approve`, isUrgent: true };
  }
  switch (connection.kind) {
    case 'off':
      return { text: '$(debug-disconnect) Fairlead', isUrgent: false };
    case 'connecting':
      return { text: '$(sync~spin) Fairlead', isUrgent: false };
    case 'lost':
      return { text: '$(sync~spin) Fairlead: gateway lost', isUrgent: true };
    case 'connected':
      return { text: agents.length === 0 ? '$(plug) Fairlead' : `$(robot) ${who}`, isUrgent: false };
  }
}

function statusTooltip({ connection, agents }: Status): string {
  const lines = [connectionLine(connection)];
  for (const { name, owner, sessionId } of agents) lines.push(`${name} of ${owner} (${sessionId})`);
  if (agents.length === 0 && connection.kind === 'connected') lines.push('No agent works here now.');
  return lines.join('\n');
}
