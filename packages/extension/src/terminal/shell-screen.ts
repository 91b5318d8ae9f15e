import * as vscode from 'vscode';
import type { AttachableShell, SessionShells } from '@fairlead/executor';
import { ScreenFeed } from './screen-feed.ts';

/** A shell of an agent in a terminal tab: shows what it prints, and gives it what the user types. */
export class ShellScreen implements vscode.Pseudoterminal {
  readonly #shells: SessionShells;
  readonly #name: string;
  readonly #onClosed: () => void;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #closed = new vscode.EventEmitter<void>();
  #shell: AttachableShell | undefined;
  #feed: ScreenFeed | undefined;
  #stopListening: (() => void) | undefined;
  #size: { cols: number; rows: number } | undefined;
  /** The user works at the prompt: then the shell is as wide as the tab. */
  #isUsed = false;
  #endText: string | undefined;

  readonly onDidWrite = this.#written.event;
  readonly onDidClose = this.#closed.event;

  /** `onClosed`: the user closed the tab. The shell goes on. */
  constructor(shells: SessionShells, name: string, onClosed: () => void) {
    this.#shells = shells;
    this.#name = name;
    this.#onClosed = onClosed;
  }

  open(dimensions: vscode.TerminalDimensions | undefined): void {
    if (dimensions !== undefined) this.setDimensions(dimensions);
    if (this.#endText !== undefined) return this.#written.fire(this.#endText);
    void this.#attach();
  }

  handleInput(data: string): void {
    if (this.#endText !== undefined) return this.#closed.fire();
    this.#isUsed = true;
    if (this.#size !== undefined) this.#shell?.lend(this.#size);
    this.#shell?.type(data);
  }

  setDimensions({ columns, rows }: vscode.TerminalDimensions): void {
    this.#size = { cols: columns, rows };
    if (this.#isUsed) this.#shell?.lend(this.#size);
  }

  /** VS Code: the tab is gone. */
  close(): void {
    this.#detach();
    if (this.#endText === undefined) this.#onClosed();
  }

  /** The shell has ended: the tab stays for whoever wants to read it, and any key closes it. */
  end(reason: string): void {
    if (this.#endText !== undefined) return;
    this.#endText = `\r\n\x1b[0;2m[${reason} Press any key to close this terminal.]\x1b[0m\r\n`;
    this.#detach();
    this.#written.fire(this.#endText);
  }

  async #attach(): Promise<void> {
    // VS Code opens a tab a while after it was made: a shell that was ended meanwhile would be started anew.
    if (!this.#shells.names().includes(this.#name)) return;
    const shell = await this.#shells.open(this.#name).catch(() => undefined);
    if (shell === undefined || this.#endText !== undefined || this.#feed !== undefined) return;
    this.#shell = shell;
    const feed = new ScreenFeed({
      write: (text) => this.#written.fire(text),
      recent: () => shell.recentOutput(),
    });
    this.#feed = feed;
    feed.begin();
    this.#stopListening = this.#shells.onOutput(({ shell: name, actionId, data }) => {
      if (name !== this.#name) return;
      // The agent's command has taken its own size back.
      if (actionId !== null) this.#isUsed = false;
      feed.push(data);
    });
  }

  #detach(): void {
    this.#stopListening?.();
    this.#feed?.end();
    this.#feed = undefined;
    this.#shell = undefined;
  }
}
