import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { standardPath } from '../environment.ts';
import { type Account, agentAccount, rootAccount } from './account-files.ts';
import { systemArguments } from './bwrap-command.ts';
import { PassedFiles } from './passed-files.ts';

export type Probe =
  { ok: true; detail: string; account: Account } | { ok: false; detail: string; remedy: string };

const orWithout = 'or start with --no-isolation, if whoever uses this gateway may do all that you may do';

/** Makes a sandbox with nothing of a session in it, as the only way to know whether the machine allows it. */
export async function probeBwrap(directory: string): Promise<Probe> {
  const version = await run(['--version']);
  if (!version.ok) {
    return {
      ok: false,
      detail: `bubblewrap does not work: ${version.problem}`,
      remedy: `install it (on Debian and Ubuntu: apt-get install bubblewrap), ${orWithout}`,
    };
  }
  const withUsers = await tryAs(agentAccount, directory);
  if (withUsers.ok) return { ok: true, detail: `${version.output}, user namespaces`, account: agentAccount };
  // Root needs no user namespace; its processes are then without capabilities all the same.
  if (process.getuid?.() === 0) {
    const asRoot = await tryAs(rootAccount, directory);
    if (asRoot.ok) return { ok: true, detail: `${version.output}, no user namespaces`, account: rootAccount };
  }
  return {
    ok: false,
    detail: `bubblewrap cannot make a sandbox on this machine: ${withUsers.problem}`,
    remedy: `${whatForbids()}, ${orWithout}`,
  };
}

function whatForbids(): string {
  if (setting('kernel/unprivileged_userns_clone') === '0')
    return 'allow user namespaces with "sysctl -w kernel.unprivileged_userns_clone=1"';
  if (setting('user/max_user_namespaces') === '0')
    return 'allow user namespaces with "sysctl -w user.max_user_namespaces=15000"';
  if (setting('kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'give bwrap an AppArmor profile that has "userns", or "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"';
  return 'let the container or service that the gateway runs in make namespaces (Docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined)';
}

function setting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

async function tryAs(account: Account, directory: string): Promise<Outcome> {
  const passed = new PassedFiles(directory);
  try {
    return await run([...systemArguments(account, passed), 'true'], passed.files);
  } finally {
    passed.close();
  }
}

type Outcome = { ok: true; output: string } | { ok: false; problem: string };

async function run(args: string[], files: number[] = []): Promise<Outcome> {
  const child = spawn('bwrap', args, {
    env: { PATH: standardPath },
    stdio: ['ignore', 'pipe', 'pipe', ...files],
    timeout: 10_000,
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? 'it is not installed' : error.message),
    );
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${code ?? signal}`));
  });
  const [output, errors, problem] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  if (problem === undefined) return { ok: true, output: output.trim() };
  return { ok: false, problem: errors.trim() || problem };
}
