import type { ChangedDiagnostics } from '@fairlead/protocol';

/** Where a runtime's files live. The sandbox stands on the disk; a VS Code window stands on its own file system. */
export interface FileHost {
  /** Follows symbolic links. Rejects with a FileError `not-found` where nothing is. */
  stat(path: string): Promise<FileStat>;
  /** At most `limitBytes` from the start of the file, all of it without a limit. Files only; never blocks on a pipe. */
  readFile(path: string, limitBytes?: number): Promise<Uint8Array>;
  /**
   * Replaces the file in one step, or leaves it as it was. Creates missing parent directories only when asked.
   * Answers with what the file holds then: where a person takes part, that may be something else.
   */
  writeFile(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<WrittenFile>;
  /** Names in a directory, unsorted, with what each one resolves to; entries that resolve to nothing are `broken`. */
  list(path: string): Promise<DirectoryEntry[]>;
  /** One name for every way to write a path, links followed, so that two writers of one file know of each other. */
  canonicalPath(path: string): Promise<string>;
  /** What a relative path means to this host; one in `cwd` when absent. */
  resolve?(path: string, cwd: string): Promise<string>;
}

export interface FileStat {
  kind: FileKind;
  size: number;
}

export type FileKind = 'file' | 'directory' | 'other';

export interface WriteOptions {
  createParents?: boolean;
  /** What the file held when the change was made on top of it; absent when all of it is replaced. */
  base?: Uint8Array;
}

export interface WrittenFile {
  bytes: Uint8Array;
  /** Sentences for the agent. */
  notes?: string[];
  /** What the editor finds wrong now and did not before, and the other way round; only where it was asked for. */
  diagnostics?: ChangedDiagnostics;
}

export interface DirectoryEntry {
  name: string;
  kind: FileKind | 'broken';
}

export type FileErrorCode =
  | 'not-found'
  | 'is-directory'
  | 'not-directory'
  | 'no-permission'
  | 'no-space'
  | 'read-only'
  | 'too-many-links'
  | 'name-too-long'
  /** A pipe, socket or device, which has no content to read or replace. */
  | 'special-file'
  /** An archive that cannot be read, or that would write outside its destination. */
  | 'bad-archive'
  | 'bad-name'
  /** A person changed the file meanwhile, or has changes in it that the agent has not seen. */
  | 'conflict'
  /** A person did not allow it. */
  | 'refused'
  /** Not a part of the workspace. */
  | 'outside'
  | 'other';

/** A failure of the file system, told by code so that a host other than the disk can raise the same. */
export class FileError extends Error {
  readonly code: FileErrorCode;
  readonly path: string;

  constructor(code: FileErrorCode, path: string, message: string) {
    super(message);
    this.name = 'FileError';
    this.code = code;
    this.path = path;
  }
}
