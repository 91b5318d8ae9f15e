import type { Locator, Page } from 'playwright-core';

const loadTimeoutMs = 120_000;
const stepTimeoutMs = 60_000;
const commandTimeoutMs = 5_000;

/** A person at the workbench of a web VS Code. */
export class Workbench {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(stepTimeoutMs);
  }

  static async open(page: Page, url: string): Promise<Workbench> {
    await page.goto(url, { timeout: loadTimeoutMs });
    return Workbench.at(page);
  }

  /** Where the browser is on its way to already. */
  static async at(page: Page): Promise<Workbench> {
    const workbench = new Workbench(page);
    await workbench.ready();
    return workbench;
  }

  /** Usable: the files of the folder are shown. */
  async ready(): Promise<void> {
    const files = this.page.locator('.explorer-folders-view .monaco-list-row').first();
    await files.waitFor({ timeout: loadTimeoutMs });
  }

  /** A file in the list of the folder. */
  file(name: string): Locator {
    return this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`);
  }

  async openFile(name: string): Promise<void> {
    await this.file(name).dblclick();
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.#editor('.view-lines').waitFor();
  }

  /** What the editor shows. */
  async text(): Promise<string> {
    const lines = await this.#editor('.view-line').allTextContents();
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }

  /** Puts the text in place of all there is in the editor, and saves it. */
  async replaceAndSave(text: string): Promise<void> {
    await this.#editor('.view-lines').click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.insertText(text);
    const [firstLine = ''] = text.split('\n');
    await this.#editor('.view-line').filter({ hasText: firstLine }).first().waitFor();
    await this.page.keyboard.press('Control+S');
    await this.page.locator('.editor-group-container.active .tab.active:not(.dirty)').waitFor();
  }

  /** By its name in the list of all commands. */
  async command(name: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input[type="text"]');
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first();
    const deadlineMs = Date.now() + stepTimeoutMs;
    for (;;) {
      await this.page.keyboard.press('F1');
      await input.waitFor();
      await input.fill(`>${name}`);
      if (await isShown(row, commandTimeoutMs)) break;
      // Commands of extensions come later than the workbench, and an open list does not get them.
      if (Date.now() > deadlineMs) throw new Error(`The workbench has no command "${name}"`);
      await this.page.keyboard.press('Escape');
      await input.waitFor({ state: 'hidden' });
    }
    // Enter would take the first row, and that may be another: one that was used before, or one with a similar name.
    await row.click();
  }

  /** What the preview of the Markdown file that is open shows, in the webview that it is. */
  async openPreview(): Promise<Locator> {
    await this.command('Markdown: Open Preview to the Side');
    const preview = this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    return preview.locator('body');
  }

  async openTerminal(): Promise<void> {
    await this.command('Terminal: Create New Terminal');
    await this.page.locator('.terminal-wrapper.active .xterm-rows').waitFor();
    await this.#terminalShows(/[$#] *$/m);
  }

  /** Types a line into the terminal, and waits until it shows something. */
  async type(line: string, answer: RegExp): Promise<string> {
    await this.page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    await this.page.keyboard.type(`${line}\n`);
    return this.#terminalShows(answer);
  }

  /** In the part of the window where the person is. */
  #editor(part: string): Locator {
    return this.page.locator(`.editor-group-container.active .editor-instance ${part}`);
  }

  async #terminalShows(pattern: RegExp): Promise<string> {
    const rows = this.page.locator('.terminal-wrapper.active .xterm-rows > div');
    const deadlineMs = Date.now() + stepTimeoutMs;
    for (;;) {
      const text = (await rows.allTextContents()).join('\n').replaceAll('\u00a0', ' ');
      if (pattern.test(text)) return text;
      if (Date.now() > deadlineMs) throw new Error(`The terminal does not show ${pattern}:\n${text.trim()}`);
      await this.page.waitForTimeout(50);
    }
  }
}

function isShown(locator: Locator, timeout: number): Promise<boolean> {
  return locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}
