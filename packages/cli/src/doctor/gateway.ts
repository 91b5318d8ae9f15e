import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Cli, GlobalOptions } from '../cli.ts';
import { toCliError } from '../cli-error.ts';
import { connect, gatewayUrl, stateDirOf } from '../connect.ts';
import type { Finding } from './finding.ts';

const fewBytes = 1024 ** 3;

export async function findStateDir(cli: Cli, options: GlobalOptions): Promise<Finding> {
  const name = 'state directory';
  const stateDir = stateDirOf(cli, options);
  const existing = await nearestExisting(stateDir);
  const remedy = 'choose another with --state-dir DIR, or XDG_STATE_HOME';
  try {
    await access(existing, constants.W_OK);
  } catch {
    return { name, status: 'missing', detail: `${existing} cannot be written`, enables: 'a gateway', remedy };
  }
  const { bavail, bsize } = await statfs(existing);
  const freeBytes = bavail * bsize;
  const detail = `${stateDir}${existing === stateDir ? '' : ' (made at the first start)'}, ${(freeBytes / 1024 ** 3).toFixed(1)} GB free`;
  if (freeBytes >= fewBytes) return { name, status: 'ok', detail };
  return {
    name,
    status: 'limited',
    detail,
    enables: 'room for workspaces',
    remedy: `free some space, or ${remedy}`,
  };
}

export async function findGateway(cli: Cli, options: GlobalOptions): Promise<Finding> {
  const name = 'gateway';
  try {
    const sessions = await connect(cli, options).sessions.list();
    return {
      name,
      status: 'ok',
      detail: `${gatewayUrl(cli, options)}, ${sessions.length} sessions of yours`,
    };
  } catch (error) {
    const remedy = 'fairlead serve';
    return {
      name,
      status: 'limited',
      detail: toCliError(error).message,
      enables: 'all other commands',
      remedy,
    };
  }
}

async function nearestExisting(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere || path === dirname(path) ? path : nearestExisting(dirname(path));
}
