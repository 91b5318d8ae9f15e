import * as vscode from 'vscode';
import type { Agent } from '../sessions/agent.ts';
import { tabName } from './shell-tabs.ts';

/** What shows the shells of one agent. */
export interface ShownShells {
  readonly agent: Agent;
  names(): string[];
  show(name: string): void;
}

/** The terminals of all agents of this window. */
export class AgentTerminals {
  readonly #shown = new Set<ShownShells>();

  /** Returns how to forget them. */
  add(shells: ShownShells): () => void {
    this.#shown.add(shells);
    return () => this.#shown.delete(shells);
  }

  /** Shows the only one, or the one that the user picks. */
  async pick(): Promise<void> {
    const items = [...this.#shown].flatMap((shells) =>
      shells.names().map((name) => ({
        label: tabName(shells.agent, name),
        description: shells.agent.owner,
        show: () => shells.show(name),
      })),
    );
    if (items.length === 0) {
      void vscode.window.showInformationMessage('No agent has run a command in this window yet.');
      return;
    }
    const choice =
      items.length === 1
        ? items[0]
        : await vscode.window.showQuickPick(items, { placeHolder: "Which agent's terminal?" });
    choice?.show();
  }
}
