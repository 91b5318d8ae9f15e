import type { Page } from 'playwright-core';
import type * as vscode from 'vscode';
import { until } from '../../gateway/support/wait.ts';

/** What it needs of its window. */
interface TerminalWindow {
  readonly page: Page;
  evaluate<Args extends unknown[], Result>(
    work: (vscode: Vscode, ...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>>;
  until<Args extends unknown[], Result>(
    what: string,
    work: (vscode: Vscode, ...args: Args) => Result,
    ...args: Args
  ): Promise<NonNullable<Awaited<Result>>>;
}

type Vscode = typeof vscode;

const showTimeoutMs = 60_000;

/** A tab of the terminal panel, as a person sees and uses it. */
export class WindowTerminal {
  readonly #window: TerminalWindow;
  readonly #name: string;
  /** VS Code brings others to the front by itself: those of before a reload, when it has found them again. */
  #isKeptInFront = false;

  constructor(window: TerminalWindow, name: string) {
    this.#window = window;
    this.#name = name;
  }

  /** Brings the tab to the front when there is one, and leaves the focus where it is. */
  async show(): Promise<void> {
    this.#isKeptInFront = true;
    await this.#window.until(
      `a terminal named ${this.#name}`,
      (vscode, name) => {
        const terminal = vscode.window.terminals.find((each) => each.name === name);
        terminal?.show(true);
        return terminal !== undefined && vscode.window.activeTerminal === terminal;
      },
      this.#name,
    );
    await this.#screen().waitFor();
  }

  /** The lines that fit into the panel now. */
  async text(): Promise<string> {
    const lines = await this.#screen().locator('> div').allTextContents();
    return lines.map((line) => line.replaceAll('\u00a0', ' ').trimEnd()).join('\n');
  }

  /** Waits until it shows something, and answers all that it shows then. */
  async shows(pattern: RegExp): Promise<string> {
    let text = '';
    const isShown = async () => {
      text = await this.text();
      if (pattern.test(text)) return true;
      if (this.#isKeptInFront) await this.show();
      return false;
    };
    await until(isShown, `${pattern} in the terminal ${this.#name}`, showTimeoutMs).catch((error: Error) => {
      throw new Error(`${error.message}; it shows:\n${text.trim()}`, { cause: error });
    });
    return text;
  }

  /** Where the keyboard writes. */
  async focus(): Promise<void> {
    await this.#window.page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
  }

  async type(text: string): Promise<void> {
    await this.focus();
    await this.#window.page.keyboard.type(text);
  }

  /** As 'Control+C'. */
  async press(key: string): Promise<void> {
    await this.focus();
    await this.#window.page.keyboard.press(key);
  }

  /** As when the person closes the tab. */
  async close(): Promise<void> {
    await this.#window.evaluate(
      (vscode, name) => vscode.window.terminals.find((each) => each.name === name)?.dispose(),
      this.#name,
    );
  }

  #screen() {
    return this.#window.page.locator('.terminal-wrapper.active .xterm-rows');
  }
}
