import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** The first bash that has all that the shells are started with. */
const oldestBash = [4, 4];

/** Why shells on a plain pty cannot be had on this machine; undefined where they can. */
export async function ptyProblem(env: Record<string, string>): Promise<string | undefined> {
  const [pty, bash] = await Promise.all([libraryProblem(env), bashProblem(env)]);
  // Who owns a terminal, and what a shell has started, is read there.
  return pty ?? bash ?? (existsSync('/proc/self/stat') ? undefined : 'this system has no /proc');
}

/** The native library may be missing for this platform, or refuse to load or to work. */
async function libraryProblem(env: Record<string, string>): Promise<string | undefined> {
  try {
    const { spawn } = await import('@lydell/node-pty');
    const pty = spawn(process.platform === 'win32' ? 'cmd.exe' : '/bin/sh', ['-c', 'exit 0'], { env });
    await new Promise((resolve) => pty.onExit(resolve));
    return undefined;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `the terminal library does not load: ${reason}`;
  }
}

async function bashProblem(env: Record<string, string>): Promise<string | undefined> {
  const ask = ['-c', 'echo "${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]}"'];
  const answer = await promisify(execFile)('bash', ask, { env }).catch(() => undefined);
  if (answer === undefined) return 'bash is not installed';
  const [major = 0, minor = 0] = answer.stdout.trim().split(' ').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestBash;
  const isNew = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isNew ? undefined : `bash ${major}.${minor} is too old: ${oldestBash.join('.')} or newer is needed`;
}
