import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { awaitSocket } from '../await-socket.ts';
import { DriverError, type SandboxSpec } from '../driver.ts';
import { runFiles } from '../inside.ts';
import { checkContent, checkWorkspace } from './check-workspace.ts';
import type { GroupMaker, LimitName } from './cgroups/group-maker.ts';
import type { Isolation } from './isolation.ts';
import { isAlive, type ProcessIdentity } from './process-table.ts';
import { removeTree } from '../remove-tree.ts';
import { spawnSandbox } from './spawn-sandbox.ts';

const startTimeoutMs = 30_000;
/** The kernel's limit of 108 for the name of a socket with a zero behind it, less the ending of the editor's second one. */
const socketPathLimit = 100;

export interface StartOptions {
  spec: SandboxSpec;
  name: string;
  isolation: Isolation;
  groupMaker: GroupMaker;
  onProgress(text: string): void;
}

/** Starts a sandbox that does not exist, and resolves when it answers. */
export async function startSandbox({
  spec,
  name,
  isolation,
  groupMaker,
  onProgress,
}: StartOptions): Promise<void> {
  const { limits, directories } = spec;
  const temporary = temporaryOf(directories.run);
  await removeTree(join(directories.run, runFiles.socket));
  await removeTree(temporary);
  mkdirSync(temporary, { mode: 0o700 });
  const warning = checkWorkspace(directories.workspace);
  if (warning !== undefined) onProgress(`Warning: ${warning}`);
  const launch = await isolation.prepare(spec, name, temporary);
  const { joinFiles, unenforced } = await groupMaker.make(name, limits);
  if (unenforced.length > 0) onProgress(`Warning: ${notEnforced(unenforced)}`);
  const { gone } = await spawnSandbox(launch, joinFiles, directories.run);
  await awaitSocket({ run: directories.run, timeoutMs: startTimeoutMs, gone });
}

/** On the disk, because in memory it would count against the session's limit. Lives as long as the sandbox. */
export function temporaryOf(run: string): string {
  return join(run, 'tmp');
}

/** For one that exists already: it may be on its way still. */
export async function awaitSandbox(run: string, first: ProcessIdentity): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const gone = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      if (!isAlive(first)) resolve('its first process ended');
    }, 50);
  });
  await awaitSocket({ run, timeoutMs: startTimeoutMs, gone }).finally(() => clearInterval(timer));
}

export function checkSpec({ image, directories }: SandboxSpec, stateDir: string): void {
  if (image !== null) {
    throw new DriverError(
      `The local driver has no images, and "${image}" was asked for; leave the image out, or use the docker driver`,
    );
  }
  const socket = join(directories.run, runFiles.socket);
  if (Buffer.byteLength(socket) >= socketPathLimit) {
    throw new DriverError(
      `The path ${socket} is too long for a socket (${socketPathLimit - 1} bytes); choose a shorter --state-dir`,
    );
  }
  checkContent(directories.workspace, stateDir);
}

export function notEnforced(limits: LimitName[]): string {
  return `limits on ${limits.join(', ')} are not enforced, because the gateway may not make control groups for them`;
}
