import type { EditArgs, EditObservation } from '@fairlead/protocol';
import { editObservation } from '@fairlead/protocol/answers';
import { FileError, type FileHost } from '../files/file-host.ts';
import { withFileLocked } from '../files/path-lock.ts';
import {
  asTextFile,
  type TextFile,
  writeBytes,
  writeTextFile,
  type WrittenText,
} from '../files/text-file.ts';
import { notesOn } from '../files/written-notes.ts';
import { EditHistory } from './edit-history.ts';
import { EditorError, invalidParameter, missingParameter, onFile } from './editor-error.ts';
import { readEditable, refusePath, refuseTooLarge, viewOnlyExtension } from './editable-file.ts';
import { numberedLines } from './numbered-lines.ts';
import { parseInteger, repr, tidyPath } from './python-text.ts';
import { insertLines, replaceText, type TextEdit } from './text-edits.ts';
import { unifiedDiff } from './unified-diff.ts';
import { viewDirectory } from './view-directory.ts';
import { viewText } from './view-file.ts';

interface Outcome {
  message: string;
  before?: string;
  after?: string;
  written?: WrittenText;
}

/** The commands of `edit`. Remembers what it changed, so that it can be undone. */
export class Editor {
  readonly #host: FileHost;
  readonly #workspaceRoot: string;
  readonly #history = new EditHistory();

  constructor({ host, workspaceRoot }: { host: FileHost; workspaceRoot: string }) {
    this.#host = host;
    this.#workspaceRoot = workspaceRoot;
  }

  /** Never rejects for what a command can cause: a refusal is content that starts with `ERROR:`. */
  async edit(args: EditArgs): Promise<EditObservation> {
    try {
      const { message, before = '', after = '', written } = await this.#run(args);
      const content = written === undefined ? message : [message, ...notesOn(written)].join('\n');
      const diff = unifiedDiff(before, written?.otherText ?? after, args.path);
      return editObservation(args, content, diff, written?.diagnostics);
    } catch (error) {
      return editObservation(args, refusal(error));
    }
  }

  /** The text of a file, or what is in a directory; a refusal starts with `ERROR:`. */
  async view(path: string, viewRange: unknown[] | null): Promise<string> {
    try {
      return await this.#view(tidyPath(path), viewRange);
    } catch (error) {
      return refusal(error);
    }
  }

  async #run(args: EditArgs): Promise<Outcome> {
    const insertLine = lineNumber(args.insert_line);
    const path = tidyPath(args.path);
    if (args.command === 'view') return { message: await this.#view(path, args.view_range) };
    await refusePath(this.#host, this.#workspaceRoot, args.command, path);
    return withFileLocked(this.#host, path, async () => {
      // Once more: whoever had the lock before may have made the file.
      await refusePath(this.#host, this.#workspaceRoot, args.command, path);
      if (args.command === 'create') return this.#create(path, args.file_text);
      if (args.command === 'str_replace') return this.#replace(path, args.old_str, args.new_str);
      if (args.command === 'insert') return this.#insert(path, insertLine, args.new_str);
      if (args.command === 'undo_edit') return this.#undo(path);
      throw new EditorError(
        `Unrecognized command ${args.command}. The allowed commands for the oh_editor tool are: view, create, str_replace, insert, undo_edit`,
      );
    });
  }

  async #view(path: string, viewRange: unknown[] | null): Promise<string> {
    const stat = await refusePath(this.#host, this.#workspaceRoot, 'view', path);
    if (stat?.kind === 'directory') {
      if (viewRange === null || viewRange.length === 0)
        return onFile('read', path, () => viewDirectory(this.#host, path));
      throw invalidRangeOfDirectory(viewRange);
    }
    refuseTooLarge(path, stat?.size ?? 0);
    if (viewOnlyExtension(path) !== undefined) throw noConverter(path);
    const file = await readEditable(this.#host, path);
    return viewText(path, file.text, viewRange);
  }

  async #create(path: string, text: string | null): Promise<Outcome> {
    if (text === null) throw missingParameter('file_text', 'create');
    const written = await onFile('write to', path, () => writeTextFile(this.#host, path, text, undefined));
    this.#history.add(path, written.bytes);
    return { message: `File created successfully at: ${path}`, after: text, written };
  }

  async #replace(path: string, oldText: string | null, newText: string | null): Promise<Outcome> {
    if (oldText === null) throw missingParameter('old_str', 'str_replace');
    if (oldText === newText)
      throw invalidParameter(
        'new_str',
        newText,
        'No replacement was performed. `new_str` and `old_str` must be different.',
      );
    return this.#change(path, (file) => replaceText(path, file, oldText, newText ?? ''));
  }

  async #insert(path: string, line: number | null, newText: string | null): Promise<Outcome> {
    if (line === null) throw missingParameter('insert_line', 'insert');
    if (newText === null) throw missingParameter('new_str', 'insert');
    return this.#change(path, (file) => insertLines(path, file, line, newText));
  }

  async #change(path: string, change: (file: TextFile) => TextEdit): Promise<Outcome> {
    const file = await readEditable(this.#host, path);
    const edit = change(file);
    const written = await onFile('write to', path, () =>
      writeTextFile(this.#host, path, edit.original, file, { base: file.bytes }),
    );
    this.#history.add(path, file.bytes);
    const message = edit.message(written.otherText ?? edit.text);
    return { message, before: file.text, after: edit.text, written };
  }

  async #undo(path: string): Promise<Outcome> {
    const current = await readEditable(this.#host, path);
    const bytes = this.#history.newest(path);
    const old = bytes && (await asTextFile(bytes));
    if (bytes === undefined || old === undefined) throw new EditorError(`No edit history found for ${path}.`);
    const written = await onFile('write to', path, () => writeBytes(this.#host, path, bytes));
    this.#history.removeNewest(path);
    const text = written.otherText ?? old.text;
    return {
      message: `Last edit to ${path} undone successfully. ${numberedLines(text, path)}`,
      before: current.text,
      after: old.text,
      written,
    };
  }
}

function lineNumber(given: number | string | null): number | null {
  if (typeof given !== 'string') return given;
  const line = parseInteger(given);
  if (line === undefined)
    throw new EditorError(`Invalid insert_line value: '${given}'. Expected an integer.`);
  return line;
}

function invalidRangeOfDirectory(viewRange: unknown[]): EditorError {
  return invalidParameter(
    'view_range',
    repr(viewRange),
    'The `view_range` parameter is not allowed when `path` points to a directory.',
  );
}

function noConverter(path: string): EditorError {
  return new EditorError(
    `Error in converting file to Markdown: this runtime has no converter. Please use Python code to read ${path}`,
  );
}

function refusal(error: unknown): string {
  if (error instanceof EditorError || error instanceof FileError) return `ERROR:\n${error.message}`;
  throw error;
}
