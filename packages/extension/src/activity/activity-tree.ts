import * as vscode from 'vscode';
import type { Agent } from '../sessions/agent.ts';
import { isOver, type ActionState, type ActivityEntry, type ActivityLog } from './activity-log.ts';
import { durationText } from './entry-text.ts';

type Node = { kind: 'agent'; agent: Agent } | { kind: 'action'; entry: ActivityEntry };

/** Agents, and below each its actions, newest first. */
export class ActivityTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #log: ActivityLog;
  readonly #changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changes.event;
  #refresh: NodeJS.Timeout | undefined;

  constructor(log: ActivityLog) {
    this.#log = log;
  }

  /** Soon, and once for many: an agent can do hundreds of actions in a second. */
  changed(): void {
    this.#refresh ??= setTimeout(() => {
      this.#refresh = undefined;
      this.#changes.fire();
    }, 100);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return this.#log.agents().map((agent) => ({ kind: 'agent', agent }));
    if (node.kind === 'action') return [];
    return this.#log.actionsOf(node.agent.sessionId).map((entry) => ({ kind: 'action', entry }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === 'agent' ? agentItem(node.agent) : actionItem(node.entry);
  }

  dispose(): void {
    clearTimeout(this.#refresh);
    this.#changes.dispose();
  }
}

function agentItem(agent: Agent): vscode.TreeItem {
  const item = new vscode.TreeItem(agent.name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = agent.sessionId;
  item.iconPath = new vscode.ThemeIcon('person');
  item.description = agent.owner;
  item.tooltip = `${agent.name} of ${agent.owner}, session ${agent.sessionId}`;
  item.contextValue = 'agent';
  return item;
}

function actionItem(entry: ActivityEntry): vscode.TreeItem {
  const item = new vscode.TreeItem(entry.label);
  item.iconPath = icon(entry.state);
  item.description = `${entry.startedAt.toLocaleTimeString()}${durationText(entry)}`;
  item.tooltip = entry.subject;
  item.contextValue = isOver(entry) ? 'action' : 'action.unfinished';
  item.accessibilityInformation = { label: `${entry.label}, ${entry.state}` };
  item.command = { command: 'fairlead.activity.open', title: 'Open', arguments: [entry.actionId] };
  return item;
}

function icon(state: ActionState): vscode.ThemeIcon {
  switch (state) {
    case 'running':
      return new vscode.ThemeIcon('loading~spin');
    case 'waiting':
      return new vscode.ThemeIcon('question', new vscode.ThemeColor('notificationsWarningIcon.foreground'));
    case 'done':
      return new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed'));
    case 'failed':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed'));
  }
}
