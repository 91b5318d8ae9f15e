import { realpath, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import type { WorkspaceSource } from '@fairlead/protocol';
import { GatewayError } from '../gateway-error.ts';
import type { OwnerRecord } from '../store/store.ts';

export interface FolderRules {
  stateDir: string;
  /** Folders below which every owner may mount. */
  allowedFolders: string[];
}

/** The source with a folder's real path; refused when it is not the owner's to mount. */
export async function checkWorkspace(
  source: WorkspaceSource,
  owner: OwnerRecord,
  rules: FolderRules,
): Promise<WorkspaceSource> {
  if (source.kind !== 'folder') return source;
  const path = await realpath(source.path).catch(() => undefined);
  const isFolder = path !== undefined && (await stat(path)).isDirectory();
  // A tenant must not learn what exists where it may not mount.
  if (owner.role !== 'operator' && !(isFolder && (await isAllowed(path, rules))))
    throw notAllowed(source.path);
  if (!isFolder)
    throw new GatewayError('bad-request', `${source.path} is not a folder of the gateway's machine`);
  if (await hasState(path, rules)) throw holdsState(source.path);
  return { kind: 'folder', path };
}

async function isAllowed(path: string, rules: FolderRules): Promise<boolean> {
  if (await hasState(path, rules)) return false;
  const roots = await Promise.all(
    rules.allowedFolders.map((folder) => realpath(folder).catch(() => undefined)),
  );
  return roots.some((root) => root !== undefined && contains(root, path));
}

/** The gateway's own files are what keeps sessions apart. */
async function hasState(path: string, rules: FolderRules): Promise<boolean> {
  const stateDir = await realpath(rules.stateDir);
  return contains(path, stateDir) || contains(stateDir, path);
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../');
}

function notAllowed(path: string): GatewayError {
  return new GatewayError(
    'not-allowed',
    `The folder ${path} may not be mounted; ask the operator to start the gateway with --allow-folder`,
  );
}

function holdsState(path: string): GatewayError {
  return new GatewayError(
    'not-allowed',
    `The folder ${path} may not be mounted: the gateway's own files are in it, or it is among them; choose another`,
  );
}
