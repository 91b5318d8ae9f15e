import { type FileHost, FileError, NodeFileHost } from '@fairlead/executor';
import { homedir } from 'node:os';
import { isAbsolute, posix, resolve } from 'node:path';
import * as vscode from 'vscode';
import { isInside, realLocation } from './containment.ts';
import { namedFolder } from './named-folder.ts';
import { VirtualFileHost } from './virtual-file-host.ts';

/** A file or directory that agents may use. */
export interface Place {
  /** As the agent wrote it, made absolute. */
  path: string;
  /** As VS Code knows it. */
  uri: vscode.Uri;
  /** The same file without any link on the way. */
  realUri: vscode.Uri;
  /** What is saved: the disk, or the file system behind the workspace. */
  saved: FileHost;
  isOnDisk: boolean;
}

/** Which paths are part of the workspace, and what stands behind each of them. */
export class WorkspacePlaces {
  readonly #disk = new NodeFileHost();

  /** Rejects with a FileError `outside` for what is no part of the workspace, also by a link. */
  async at(given: string): Promise<Place> {
    const virtual = this.#virtualAt(given);
    return virtual ?? this.#onDisk(resolve(given));
  }

  /** A path in the agent's directory, or one that starts with the name of a folder of the workspace. */
  async resolve(path: string, cwd: string): Promise<string> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => {
      return { name, path: pathOf(uri) };
    });
    const exists = async (candidate: string) =>
      this.at(candidate)
        .then((place) => place.saved.stat(place.path))
        .then(
          () => true,
          () => false,
        );
    return (await namedFolder(path, cwd, folders, exists)) ?? resolve(cwd, path);
  }

  async uriOf(given: string, cwd: string): Promise<vscode.Uri> {
    // One letter would be a drive.
    const uri = /^[A-Za-z][A-Za-z0-9+.-]+:\//.test(given) ? withoutDots(vscode.Uri.parse(given)) : undefined;
    if (uri !== undefined && uri.scheme !== 'file') {
      if (this.holds(uri)) return uri;
      throw outside(given, given);
    }
    const path = uri?.fsPath ?? given;
    return (await this.at(isAbsolute(path) ? path : await this.resolve(path, cwd))).uri;
  }

  /** Whether it is in a folder of the workspace, by its name. */
  holds(uri: vscode.Uri): boolean {
    return vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  }

  /** As `at`, for a document that VS Code has. Of those that are no files, only what is in a folder of the workspace. */
  async reallyHolds(uri: vscode.Uri): Promise<boolean> {
    // A cell bears the path of its notebook.
    const isOnDisk = uri.scheme === 'file' || uri.scheme === 'vscode-notebook-cell';
    if (!isOnDisk) return this.holds(withoutDots(uri));
    return this.#onDisk(uri.with({ scheme: 'file', fragment: '' }).fsPath).then(
      () => true,
      () => false,
    );
  }

  async #onDisk(path: string): Promise<Place> {
    const real = await realLocation(path).catch((error: NodeJS.ErrnoException) => {
      throw new FileError('no-permission', path, `Cannot tell where ${path} is: ${error.message}`);
    });
    for (const root of [...folderPaths(), ...allowedOutside()])
      if (isInside(await realLocation(root), real)) {
        const [uri, realUri] = [vscode.Uri.file(path), vscode.Uri.file(real)];
        return { path, uri, realUri, saved: this.#disk, isOnDisk: true };
      }
    throw outside(path, real);
  }

  #virtualAt(given: string): Place | undefined {
    const path = posix.resolve('/', given);
    const inside = (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme !== 'file')
      .filter(({ uri }) => isInside(uri.path, path, { paths: posix, caseSensitive: true }));
    const [folder] = inside.sort((left, right) => right.uri.path.length - left.uri.path.length);
    if (folder === undefined) return undefined;
    const uri = folder.uri.with({ path });
    return { path, uri, realUri: uri, saved: new VirtualFileHost(folder.uri), isOnDisk: false };
  }
}

/** What an agent calls the file. */
export function pathOf(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.path;
}

/** VS Code compares the parts of a path as they stand. */
function withoutDots(uri: vscode.Uri): vscode.Uri {
  return uri.path.startsWith('/') ? uri.with({ path: posix.normalize(uri.path) }) : uri;
}

function folderPaths(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

/** The user's own choice: a workspace cannot open the machine to an agent. */
function allowedOutside(): string[] {
  const chosen = vscode.workspace.getConfiguration('fairlead').inspect<string[]>('allowOutside')?.globalValue;
  return (chosen ?? []).map((path) => resolve(path.replace(/^~(?=$|[/\\])/, homedir())));
}

function outside(path: string, real: string): FileError {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => pathOf(uri));
  const way = isInside(path, real) && isInside(real, path) ? path : `${path} (a link to ${real})`;
  const workspace = folders.length === 0 ? 'has no folder' : `is ${folders.join(', ')}`;
  return new FileError(
    'outside',
    path,
    `Outside the workspace: ${way}. The workspace ${workspace}. Use a path in it, or ask the user to add this one to the setting fairlead.allowOutside.`,
  );
}
