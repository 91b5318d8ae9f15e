import * as vscode from 'vscode';
import { wish, type Approval } from './approval.ts';
import { firstLine } from '../activity/describe-action.ts';

/** What waits for the user, with buttons on each: it stays when a notification is gone. */
export class WaitingView implements vscode.TreeDataProvider<Approval>, vscode.Disposable {
  readonly #list: () => Approval[];
  readonly #view: vscode.TreeView<Approval>;
  readonly #changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changes.event;

  constructor(list: () => Approval[]) {
    this.#list = list;
    this.#view = vscode.window.createTreeView('fairlead.waiting', { treeDataProvider: this });
  }

  changed(): void {
    const count = this.#list().length;
    this.#view.badge =
      count === 0
        ? undefined
        : { value: count, tooltip: `${count} ${count === 1 ? 'action waits' : 'actions wait'} for you` };
    this.#changes.fire();
  }

  getChildren(approval?: Approval): Approval[] {
    return approval === undefined ? this.#list() : [];
  }

  getTreeItem(approval: Approval): vscode.TreeItem {
    const { id, agent, request, since, seconds } = approval;
    const item = new vscode.TreeItem(firstLine(wish(request)));
    const expires = new Date(since.getTime() + seconds * 1000).toLocaleTimeString();
    item.id = id;
    item.description = agent.name;
    item.tooltip = tooltip(approval, expires);
    item.iconPath = new vscode.ThemeIcon(icons[request.kind]);
    item.contextValue = request.kind;
    item.command = { command: 'fairlead.approval.review', title: 'Review', arguments: [id] };
    return item;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changes.dispose();
  }
}

const icons = { run: 'terminal', edit: 'diff', ask: 'question' };

function tooltip({ agent, request }: Approval, expires: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(`${agent.name} of ${agent.owner} waits until ${expires}`);
  if (request.kind === 'run') {
    if (request.isInput) text.appendText('\n\nto be typed into the running command');
    if (request.cwd !== undefined) text.appendText(`\n\nin ${request.cwd}`);
    text.appendCodeblock(request.command, 'shellscript');
  }
  if (request.kind === 'edit') text.appendText(`\n\n${request.path}`);
  if (request.kind === 'ask') text.appendCodeblock(`${request.title}\n${request.detail}`, 'text');
  return text;
}
