import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '../../gateway/support/caller.ts';
import type { VscodeWindow } from './vscode-window.ts';

interface Observation {
  observation: string;
  content: string;
  extras: Record<string, unknown>;
}

/** An agent of a session that works with files, by the names that they have in the window's folder. */
export class AgentFiles {
  readonly #owner: Caller;
  readonly #sessionId: string;
  readonly #folder: string;

  constructor(owner: Caller, sessionId: string, folder: string) {
    this.#owner = owner;
    this.#sessionId = sessionId;
    this.#folder = folder;
  }

  async act(
    action: string,
    args: Record<string, unknown>,
    rest: Record<string, unknown> = {},
  ): Promise<Observation> {
    const event = { action, args, timeout: 60, ...rest };
    const { status, json, text } = await this.#owner.act(this.#sessionId, event);
    if (status !== 200) throw new Error(`${action}: ${status} ${text}`);
    return json as unknown as Observation;
  }

  /** A relative path as it is, in the shell's directory. */
  async read(path: string): Promise<string> {
    return (await this.act('read', { path })).content;
  }

  write(path: string, content: string): Promise<Observation> {
    return this.act('write', { path, content });
  }

  replace(name: string, oldText: string, newText: string, rest = {}): Promise<Observation> {
    const args = { path: this.path(name), command: 'str_replace', old_str: oldText, new_str: newText };
    return this.act('edit', args, rest);
  }

  create(name: string, text: string): Promise<Observation> {
    return this.act('edit', { path: this.path(name), command: 'create', file_text: text });
  }

  undo(name: string): Promise<Observation> {
    return this.act('edit', { path: this.path(name), command: 'undo_edit' });
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  onDiskBytes(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  onDisk(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }
}

/** What the person has in front of them. */
export interface OpenText {
  text: string;
  isDirty: boolean;
  /** Where the cursor is, counted from 0. */
  cursor: [line: number, character: number];
}

/** A person who has one file open and types. */
export class PersonAtEditor {
  readonly #window: VscodeWindow;
  readonly #path: string;

  private constructor(window: VscodeWindow, path: string) {
    this.#window = window;
    this.#path = path;
  }

  static async open(window: VscodeWindow, path: string): Promise<PersonAtEditor> {
    await window.evaluate(async (vscode, file) => {
      const document = await vscode.workspace.openTextDocument(file);
      await vscode.window.showTextDocument(document, { preview: false });
    }, path);
    return new PersonAtEditor(window, path);
  }

  /** Types it at a place, as with the keyboard. */
  async type(text: string, line: number, character = 0): Promise<void> {
    await this.#window.evaluate(
      async (vscode, path, ...at) => {
        const [typed, atLine, atCharacter] = at;
        const document = await vscode.workspace.openTextDocument(path);
        const editor = await vscode.window.showTextDocument(document, { preview: false });
        const place = new vscode.Position(atLine, atCharacter);
        editor.selection = new vscode.Selection(place, place);
        await vscode.commands.executeCommand('type', { text: typed });
      },
      this.#path,
      text,
      line,
      character,
    );
  }

  /** Presses the keys of `undo` in the editor. */
  async undo(): Promise<void> {
    await this.#command('undo');
  }

  async save(): Promise<void> {
    await this.#command('workbench.action.files.save');
  }

  async close(): Promise<void> {
    await this.#command('workbench.action.closeActiveEditor');
  }

  async sees(): Promise<OpenText> {
    return this.#window.evaluate(async (vscode, path) => {
      const document = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === path);
      const editor = vscode.window.visibleTextEditors.find((other) => other.document === document);
      const { line = -1, character = -1 } = editor?.selection.active ?? {};
      return {
        text: document?.getText() ?? '',
        isDirty: document?.isDirty ?? false,
        cursor: [line, character] as [number, number],
      };
    }, this.#path);
  }

  async #command(id: string): Promise<void> {
    await this.#window.evaluate(
      async (vscode, path, command) => {
        const document = await vscode.workspace.openTextDocument(path);
        await vscode.window.showTextDocument(document, { preview: false });
        await vscode.commands.executeCommand(command);
      },
      this.#path,
      id,
    );
  }
}
