import {
  type DirectoryEntry,
  FileError,
  type FileErrorCode,
  type FileHost,
  type FileKind,
  type FileStat,
  type WriteOptions,
  type WrittenFile,
} from '@fairlead/executor';
import { posix } from 'node:path';
import * as vscode from 'vscode';

/** The file system that an extension puts behind a folder of the workspace. */
export class VirtualFileHost implements FileHost {
  readonly #folder: vscode.Uri;

  constructor(folder: vscode.Uri) {
    this.#folder = folder;
  }

  stat(path: string): Promise<FileStat> {
    return told(path, async () => {
      const { type, size } = await vscode.workspace.fs.stat(this.#uri(path));
      return { kind: kindOf(type), size };
    });
  }

  readFile(path: string, limitBytes = Infinity): Promise<Uint8Array> {
    return told(path, async () => {
      const { type } = await vscode.workspace.fs.stat(this.#uri(path));
      if (kindOf(type) === 'directory') throw vscode.FileSystemError.FileIsADirectory(path);
      const bytes = await vscode.workspace.fs.readFile(this.#uri(path));
      return bytes.length > limitBytes ? bytes.subarray(0, limitBytes) : bytes;
    });
  }

  writeFile(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<WrittenFile> {
    return told(path, async () => {
      const parent = this.#uri(posix.dirname(path));
      if (options.createParents) await vscode.workspace.fs.createDirectory(parent);
      else await vscode.workspace.fs.stat(parent);
      await vscode.workspace.fs.writeFile(this.#uri(path), bytes);
      return { bytes };
    });
  }

  list(path: string): Promise<DirectoryEntry[]> {
    return told(path, async () => {
      const entries = await vscode.workspace.fs.readDirectory(this.#uri(path));
      return entries.map(([name, type]) => ({ name, kind: kindOf(type) }));
    });
  }

  async canonicalPath(path: string): Promise<string> {
    return this.#uri(path).toString();
  }

  #uri(path: string): vscode.Uri {
    return this.#folder.with({ path: posix.resolve('/', path) });
  }
}

function kindOf(type: vscode.FileType): FileKind {
  if ((type & vscode.FileType.Directory) !== 0) return 'directory';
  return (type & vscode.FileType.File) !== 0 ? 'file' : 'other';
}

async function told<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileError) throw error;
    const known = error instanceof vscode.FileSystemError ? failures[error.code] : undefined;
    if (known !== undefined) throw new FileError(known.code, path, known.message(path));
    throw new FileError('other', path, `Cannot use ${path}: ${(error as Error).message}`);
  }
}

const failures: Record<string, { code: FileErrorCode; message: (path: string) => string }> = {
  FileNotFound: { code: 'not-found', message: (path) => `File not found: ${path}` },
  FileIsADirectory: { code: 'is-directory', message: (path) => `Path is a directory: ${path}` },
  FileNotADirectory: {
    code: 'not-directory',
    message: (path) => `Not a directory: a part of ${path} is a file.`,
  },
  NoPermissions: {
    code: 'no-permission',
    message: (path) => `Permission denied: ${path}. The file system of this workspace does not allow it.`,
  },
};
