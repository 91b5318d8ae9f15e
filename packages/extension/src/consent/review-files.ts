import * as vscode from 'vscode';

export const reviewScheme = 'fairlead-edit';

interface ReviewFile {
  text: string;
  isReadonly: boolean;
  changedMs: number;
}

/** The texts that the user reviews, as files in memory: only a file system's documents can be edited. */
export class ReviewFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, ReviewFile>();
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changes.event;

  add(uri: vscode.Uri, text: string, options: { isReadonly: boolean }): void {
    this.#files.set(uri.toString(), { text, isReadonly: options.isReadonly, changedMs: Date.now() });
  }

  remove(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
  }

  /** As it was last saved. */
  text(uri: vscode.Uri): string | undefined {
    return this.#files.get(uri.toString())?.text;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { text, isReadonly, changedMs } = this.#file(uri);
    return {
      type: vscode.FileType.File,
      ctime: changedMs,
      mtime: changedMs,
      size: encode(text).length,
      ...(isReadonly && { permissions: vscode.FilePermission.Readonly }),
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return encode(this.#file(uri).text);
  }

  /** Takes what is left of an earlier review too, so that its tab can be closed without a question. */
  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const file = this.#files.get(uri.toString());
    if (file === undefined) return;
    file.text = decode(content);
    file.changedMs = Date.now();
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  /** Asked for before a document of an earlier review is saved. */
  createDirectory(): void {}

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #file(uri: vscode.Uri): ReviewFile {
    const file = this.#files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}

// With the mark VS Code reads UTF-8 whatever the user's `files.encoding` is, and writes it back.
const byteOrderMark = '\ufeff';

function encode(text: string): Uint8Array {
  return Buffer.from(byteOrderMark + text);
}

function decode(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}
