import * as vscode from 'vscode';
import type { SessionShells, ShellOutput } from '@fairlead/executor';
import type { Agent } from '../sessions/agent.ts';
import { ShellScreen } from './shell-screen.ts';

interface Tab {
  terminal: vscode.Terminal;
  screen: ShellScreen;
}

/** Shows an agent's shells in terminal tabs, in the background, from the first thing that each of them prints. */
export function showShells(agent: Agent, shells: SessionShells): ShellTabs {
  return new ShellTabs(agent, shells);
}

export class ShellTabs implements vscode.Disposable {
  readonly agent: Agent;
  readonly #shells: SessionShells;
  readonly #tabs = new Map<string, Tab>();
  /** Shells that have had a tab: one that the user closed comes back only when the user wants it. */
  readonly #known = new Set<string>();
  /** The command in each shell for which the tab was revealed. */
  readonly #revealedFor = new Map<string, string>();
  readonly #stop: (() => void)[];

  constructor(agent: Agent, shells: SessionShells) {
    this.agent = agent;
    this.#shells = shells;
    this.#stop = [
      shells.onOutput((output) => this.#onOutput(output)),
      shells.onEnd((name) => this.#remove(name)?.terminal.dispose()),
    ];
  }

  /** The shells that a tab can show. */
  names(): string[] {
    return this.#shells.names().filter(isNamed);
  }

  /** Brings a shell's tab to the front, made anew where the user had closed it. */
  show(name: string): void {
    (this.#tabs.get(name) ?? this.#add(name)).terminal.show(false);
  }

  /** The agent is gone; its tabs say so. */
  dispose(): void {
    for (const stop of this.#stop) stop();
    for (const name of this.#tabs.keys()) this.#remove(name)?.screen.end(`${this.agent.name} has left.`);
  }

  #onOutput({ shell, actionId }: ShellOutput): void {
    if (!isNamed(shell)) return;
    if (!this.#known.has(shell)) this.#add(shell);
    if (actionId === null || this.#revealedFor.get(shell) === actionId) return;
    this.#revealedFor.set(shell, actionId);
    const isRevealed = vscode.workspace.getConfiguration('fairlead.terminal').get('reveal') === 'onRun';
    if (isRevealed) this.#tabs.get(shell)?.terminal.show(true);
  }

  #add(name: string): Tab {
    const screen = new ShellScreen(this.#shells, name, () => this.#tabs.delete(name));
    const terminal = vscode.window.createTerminal({
      name: tabName(this.agent, name),
      pty: screen,
      iconPath: new vscode.ThemeIcon('robot'),
      isTransient: true,
    });
    const tab = { terminal, screen };
    this.#known.add(name);
    this.#tabs.set(name, tab);
    return tab;
  }

  #remove(name: string): Tab | undefined {
    const tab = this.#tabs.get(name);
    this.#tabs.delete(name);
    this.#known.delete(name);
    this.#revealedFor.delete(name);
    return tab;
  }
}

export function tabName(agent: Agent, shell: string): string {
  return shell === 'main' ? agent.name : `${agent.name}: ${shell}`;
}

/** Shells for a single command have no name that anybody could choose. */
function isNamed(shell: string): boolean {
  return !shell.startsWith('.');
}
