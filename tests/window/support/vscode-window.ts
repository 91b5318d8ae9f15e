import type { Locator, Page } from 'playwright-core';
import type * as vscode from 'vscode';
import type { WindowInstance } from '@fairlead/protocol';
import type { Caller } from '../../gateway/support/caller.ts';
import { until } from '../../gateway/support/wait.ts';
import { keepScreenshot } from '../../support/keep-screenshot.ts';
import { Workbench } from '../../support/chromium-workbench.ts';
import { findInstance } from './instances.ts';
import type { Probe, Probes } from './probes.ts';
import { isRunning } from './processes.ts';
import { WindowTerminal } from './window-terminal.ts';

type Vscode = typeof vscode;

const stepTimeoutMs = 60_000;
const endTimeoutMs = 90_000;
const toastTimeoutMs = 5_000;

export interface WindowPlace {
  page: Page;
  /** Of the page. */
  url: string;
  /** The folder or the .code-workspace file that is open. */
  path: string;
  probes: Probes;
}

/** A window of a real VS Code, with a person in front of it and a probe in its extension host. */
export class VscodeWindow {
  readonly page: Page;
  /** What a person does with files and editors. */
  readonly workbench: Workbench;
  /** The folder or the .code-workspace file that is open. */
  readonly path: string;
  readonly #url: string;
  readonly #probes: Probes;
  #probe: Probe;

  private constructor({ page, url, path, probes }: WindowPlace, workbench: Workbench, probe: Probe) {
    this.page = page;
    this.path = path;
    this.workbench = workbench;
    this.#url = url;
    this.#probes = probes;
    this.#probe = probe;
  }

  static async open(place: WindowPlace): Promise<VscodeWindow> {
    const { page, url, path, probes } = place;
    // Whether a page may be left that has unsaved text.
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    const probe = probes.take(path);
    const [workbench] = await Promise.all([Workbench.open(page, url), probe]);
    return new VscodeWindow(place, workbench, await probe);
  }

  /** The process in which extensions run. */
  get extensionHostPid(): number {
    return this.#probe.pid;
  }

  /** Runs a function in the extension host. It sees nothing of this process but its arguments, which are JSON as its answer is. */
  async evaluate<Args extends unknown[], Result>(
    work: (vscode: Vscode, ...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    return (await this.#probe.run(String(work), args)) as Awaited<Result>;
  }

  /** By its id, with arguments, as other extensions do. */
  async executeCommand(id: string, ...args: unknown[]): Promise<unknown> {
    return this.evaluate(
      (vscode, command, given) => vscode.commands.executeCommand(command, ...given),
      id,
      args,
    );
  }

  /** By its title in the list of all commands, as a person does. */
  async runCommand(title: string): Promise<void> {
    await this.workbench.command(title);
  }

  /** Signs in to a gateway as its owner and connects the window, as a person does; known by a folder of it. */
  async connect(owner: Caller, folder = this.path): Promise<WindowInstance> {
    await this.evaluate((vscode) => void vscode.commands.executeCommand('fairlead.signIn'));
    await this.answerInput(owner.url, 'Which gateway?');
    await this.answerInput(owner.key, 'The key');
    return this.connected(owner, folder);
  }

  /** When a gateway has this window in its list. */
  async connected(owner: Caller, folder = this.path): Promise<WindowInstance> {
    return until(() => findInstance(owner, folder), `${folder} among the windows`, stepTimeoutMs);
  }

  async setting(name: string, value: unknown, scope: 'user' | 'workspace' = 'user'): Promise<void> {
    await this.evaluate(
      async (vscode, key, wanted, isGlobal) =>
        vscode.workspace.getConfiguration().update(key, wanted ?? undefined, isGlobal),
      name,
      value,
      scope === 'user',
    );
  }

  /** What the person is asked or told in a corner of the window. */
  notification(text: string | RegExp): Locator {
    const items = this.page.locator('.notifications-toasts, .notifications-center');
    return items.locator('.notification-list-item', { hasText: text }).last();
  }

  /** Waits for it. VS Code itself shows no more than three within a second, and others only in the list of all. */
  async notified(text: string | RegExp): Promise<void> {
    const shown = this.notification(text);
    const isShown = await shown.waitFor({ timeout: toastTimeoutMs }).then(
      () => true,
      () => false,
    );
    if (!isShown) await this.executeCommand('notifications.showList');
    await shown.waitFor();
  }

  /** Clicks a button or a link of a notification when it comes. */
  async clickNotification(text: string | RegExp, button: string): Promise<void> {
    const hasText = new RegExp(`^${escaped(button)}$`);
    await this.notified(text);
    await this.notification(text)
      .locator('.monaco-button, .notification-list-item-message a', { hasText })
      .click();
  }

  /** Waits until a line of an editor has this text. */
  async shown(text: string): Promise<void> {
    await this.page.locator('.monaco-editor .view-line', { hasText: text }).first().waitFor();
  }

  /** The question at the top of the window, as `showInputBox` and `showQuickPick` ask. */
  get input(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  /** By a part of the question, where one follows another. */
  async answerInput(text: string, question: string | RegExp = ''): Promise<void> {
    const asked = this.input.filter({ hasText: question });
    const box = asked.locator('input[type="text"], input[type="password"]').first();
    await box.waitFor();
    await box.fill(text);
    await box.press('Enter');
  }

  async pick(label: string | RegExp): Promise<void> {
    await this.input.locator('.monaco-list-row', { hasText: label }).first().click();
  }

  /** The question in the middle of the window, as modal messages ask. */
  get dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  async clickDialog(button: string): Promise<void> {
    await this.dialog.locator('.monaco-button', { hasText: button }).first().click();
  }

  statusBar(text: string | RegExp): Locator {
    return this.page.locator('.part.statusbar .statusbar-item', { hasText: text });
  }

  /** The tab of an editor; those of diffs have the title that they were given. */
  editorTab(title: string | RegExp): Locator {
    return this.page.locator('.part.editor .tab', { hasText: title });
  }

  /** A button in the title of the active editor, such as those of a diff; by its tooltip. */
  editorButton(label: string): Locator {
    const actions = this.page.locator('.editor-group-container.active .editor-actions .action-label');
    return actions.and(this.page.locator(`[aria-label^="${label}"]`)).first();
  }

  async clickEditorButton(label: string): Promise<void> {
    await this.editorButton(label).click();
  }

  /** An item of any tree view that is shown; its view must be open (`executeCommand('<view>.focus')`). */
  treeItem(text: string | RegExp): Locator {
    return this.page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row', { hasText: text });
  }

  /** A button of an item that is shown while the pointer is on it; by its tooltip. */
  async clickTreeButton(text: string | RegExp, label: string): Promise<void> {
    const item = this.treeItem(text).first();
    await item.hover();
    await item.locator(`.action-label[aria-label^="${label}"]`).click();
  }

  terminal(name: string): WindowTerminal {
    return new WindowTerminal(this, name);
  }

  async terminalNames(): Promise<string[]> {
    return this.evaluate((vscode) => vscode.window.terminals.map(({ name }) => name));
  }

  /** As F5 in a browser, or "Reload Window": extensions end and start again. */
  async reload(): Promise<void> {
    const before = this.#probe;
    await this.page.reload();
    this.#probe = await this.#probes.take(this.path);
    await this.workbench.ready();
    await within(before.gone, endTimeoutMs, 'the extension host of before the reload has not ended');
    // What it was connected to may hear of it a moment later.
    await until(() => !isRunning(before.pid), 'the end of the extension host of before', endTimeoutMs);
  }

  async close(): Promise<void> {
    if (this.page.isClosed()) return;
    await this.leave();
    await this.page.close();
  }

  /** As when its browser goes elsewhere. */
  async leave(): Promise<void> {
    await this.page.goto('about:blank');
    await within(this.#probe.gone, endTimeoutMs, 'the extension host has not ended');
  }

  /** The same folder once more in the page that it had, after `leave`. */
  async openAgain(): Promise<void> {
    await this.page.goto(this.#url);
    this.#probe = await this.#probes.take(this.path);
    await this.workbench.ready();
  }

  async screenshot(name: string): Promise<string> {
    return keepScreenshot(this.page, name);
  }

  /** Asks the extension host again until the answer is something. */
  async until<Args extends unknown[], Result>(
    what: string,
    work: (vscode: Vscode, ...args: Args) => Result,
    ...args: Args
  ): Promise<NonNullable<Awaited<Result>>> {
    return until(() => this.evaluate(work, ...args), what, stepTimeoutMs);
  }
}

async function within(done: Promise<void>, limitMs: number, otherwise: string): Promise<void> {
  const timer = Promise.withResolvers<never>();
  const handle = setTimeout(() => timer.reject(new Error(otherwise)), limitMs);
  await Promise.race([done, timer.promise]).finally(() => clearTimeout(handle));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
