import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../gateway-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { type GitAddress, readGitAddress, withoutPasswords } from './git-address.ts';
import { newActionId } from './ids.ts';

const cloneLimitSeconds = 600;

/** Also what an attempt that was cut off has left; nobody else has been there yet. */
const emptyHere = '(shopt -s dotglob nullglob; rm -rf -- ./*)';

export interface CloneOptions {
  source: { url: string; ref?: string | undefined };
  /** The workspace, as the gateway has it. */
  directory: string;
  signal: AbortSignal;
}

/** Fills the workspace, inside the sandbox: a repository is as foreign as any other program. */
export async function clone(runtime: Runtime, { source, directory, signal }: CloneOptions): Promise<void> {
  const git = readGitAddress(source.url);
  const secret = git.credential && (await leaveSecret(directory, git.credential));
  const checkout = source.ref === undefined ? '' : ` && git checkout -q ${quote(source.ref)} --`;
  try {
    await run(runtime, `(${cloneCommand(git, secret?.name)})${checkout}`, signal);
  } finally {
    await secret?.remove();
  }
}

async function run(runtime: Runtime, command: string, signal: AbortSignal): Promise<void> {
  const observation = await runtime.execute({
    actionId: newActionId(),
    event: {
      action: 'run',
      args: { command, blocking: true, hidden: true },
      timeout: cloneLimitSeconds,
    },
    isResumed: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout((cloneLimitSeconds + 30) * 1000)]),
  });
  const { content, extras } = JSON.parse(observation) as {
    content: string;
    extras?: { metadata?: { exit_code?: number } };
  };
  if (extras?.metadata?.exit_code === 0) return;
  const said = withoutPasswords(content).trim().split('\n').slice(-3).join(' ').slice(0, 500);
  throw new GatewayError('runtime-failed', `git could not clone the repository: ${said}`);
}

/** What is secret is in a file that is gone before git runs, and then in git's environment: in no argument and no log. */
function cloneCommand({ address, credential }: GitAddress, secretName: string | undefined): string {
  const clone = `clone -q -- ${quote(address)} .`;
  if (credential === undefined || secretName === undefined)
    return `${emptyHere} && GIT_TERMINAL_PROMPT=0 git ${clone}`;
  // For this host alone, whatever a redirect may lead to.
  const helper = `credential.${credential.origin}.helper=!f() { printf '%s\\n' "$CLONE_CREDENTIAL"; }; f`;
  const secret = `CLONE_CREDENTIAL=$(<${quote(secretName)}) && export CLONE_CREDENTIAL`;
  return `${secret} && ${emptyHere} && GIT_TERMINAL_PROMPT=0 git -c ${quote(helper)} ${clone}`;
}

async function leaveSecret(
  directory: string,
  { username, password }: { username: string; password: string },
): Promise<{ name: string; remove(): Promise<void> }> {
  const name = `.clone-${randomUUID()}`;
  const path = join(directory, name);
  await writeFile(path, `username=${username}\npassword=${password}\n`, { mode: 0o600, flag: 'wx' });
  return { name, remove: () => rm(path, { force: true }) };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
