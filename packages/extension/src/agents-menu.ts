import * as vscode from 'vscode';
import { connectionLine } from './connection/connection-line.ts';
import type { ConnectionState } from './connection/window-connection.ts';
import type { Agent } from './sessions/agent.ts';

export interface AgentsMenuParts {
  connection(): ConnectionState;
  agents(): Agent[];
  waitingApprovals(): number;
  isReconnecting(): boolean;
  endSession(agent: Agent): Promise<void>;
}

interface MenuItem extends vscode.QuickPickItem {
  run?: () => unknown;
}

/** What the status bar opens: who is here, and all that can be done about it. */
export async function showAgentsMenu(parts: AgentsMenuParts): Promise<void> {
  const state = parts.connection();
  const picked = await vscode.window.showQuickPick(menuItems(parts, state), {
    title: `Fairlead: ${connectionLine(state)}`,
    placeHolder: 'What do you want to do?',
  });
  await picked?.run?.();
}

/** Ends the session of the only agent, or of the one that the user picks. */
export async function pickAndEndSession({ agents, endSession }: AgentsMenuParts): Promise<void> {
  const items = agents().map((agent) => ({ ...agentItem(agent), agent }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage('No agent works in this window.');
    return;
  }
  const picked = await vscode.window.showQuickPick(items, { placeHolder: 'Whose session shall end?' });
  if (picked !== undefined) await confirmEnd(picked.agent, endSession);
}

function menuItems(parts: AgentsMenuParts, state: ConnectionState): MenuItem[] {
  const agents = parts.agents();
  const waiting = parts.waitingApprovals();
  return [
    ...(waiting > 0
      ? [command('$(bell-dot) Show what waits for you', 'fairlead.waiting.focus', String(waiting))]
      : []),
    ...(state.kind === 'off'
      ? [command('$(plug) Connect this window', 'fairlead.connect')]
      : [
          command(
            '$(debug-disconnect) Disconnect this window',
            'fairlead.disconnect',
            'ends all that agents do here',
          ),
        ]),
    ...(agents.length > 0 ? [separator('Agents')] : []),
    ...agents.map((agent) => ({ ...agentItem(agent), run: () => showAgent(agent, parts) })),
    separator('Look'),
    command('$(list-tree) Show activity', 'fairlead.activity.focus'),
    command("$(terminal) Show an agent's terminal", 'fairlead.showTerminal'),
    separator('Connection'),
    command(
      parts.isReconnecting()
        ? '$(check) Connects by itself when this workspace opens'
        : 'Connect by itself when this workspace opens',
      'fairlead.reconnectWorkspace',
    ),
    command('$(key) Sign in to a gateway', 'fairlead.signIn'),
  ];
}

async function showAgent(agent: Agent, { endSession }: AgentsMenuParts): Promise<void> {
  const end = { label: '$(stop) End this session', description: 'ends its commands too' };
  const look = { label: '$(terminal) Show its terminal' };
  const picked = await vscode.window.showQuickPick([look, end], { title: agent.name });
  if (picked === look) await vscode.commands.executeCommand('fairlead.showTerminal');
  if (picked === end) await confirmEnd(agent, endSession);
}

async function confirmEnd(agent: Agent, endSession: AgentsMenuParts['endSession']): Promise<void> {
  const end = 'End Session';
  const message = `End the session of ${agent.name}? Its commands are ended, and it cannot go on in this window.`;
  if ((await vscode.window.showWarningMessage(message, { modal: true }, end)) === end)
    await endSession(agent);
}

function agentItem({ name, owner, sessionId }: Agent): vscode.QuickPickItem {
  return { label: `$(robot) ${name}`, description: `of ${owner}`, detail: sessionId };
}

function command(label: string, id: string, description?: string): MenuItem {
  return {
    label,
    ...(description !== undefined && { description }),
    run: () => vscode.commands.executeCommand(id),
  };
}

function separator(label: string): MenuItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
