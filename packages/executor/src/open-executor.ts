import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Executor, ExecutorOptions } from './executor.ts';
import { NodeFileHost } from './files/index.ts';
import { chooseTerminals } from './shell/choose-terminals.ts';
import { Shells } from './shell/shells.ts';
import { ShellExecutor } from './shell-executor.ts';

/** Opens a session on this machine's own bash and disk, taking over what an earlier process left of it. */
export async function openExecutor(options: ExecutorOptions): Promise<Executor> {
  mkdirSync(options.sessionDir, { recursive: true, mode: 0o700 });
  const { workspace, noChangeTimeoutSeconds, user } = options;
  const env = shellEnvironment(options.env);
  const factory = chooseTerminals(options.terminal, options.sessionDir, env);
  const directory = join(options.sessionDir, 'shells');
  const shells = new Shells({ directory, workspace, factory, noChangeTimeoutSeconds, env, user });
  await shells.takeOver();
  if (!options.startsShellLate) await shells.open('main');
  const owner = user === undefined ? {} : { owner: { uid: user.uid, gid: user.gid } };
  return new ShellExecutor({ shells, files: options.files ?? new NodeFileHost(owner), workspace });
}

/** What every shell starts with; the caller's own values win. */
function shellEnvironment(env: Record<string, string>): Record<string, string> {
  return { LANG: 'C.UTF-8', TERM: 'xterm-256color', GIT_PAGER: 'cat', ...env };
}
