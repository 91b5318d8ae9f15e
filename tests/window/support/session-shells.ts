import type { Answer, RunOptions } from '../../../packages/executor/test/shell/support/test-shell.ts';
import type { ShellsUnderTest } from '../../../packages/executor/test/shell/support/corpus.ts';
import type { Caller } from '../../gateway/support/caller.ts';

export interface SessionPlace {
  /** The session's id. */
  id: string;
  /** By paths that are the same for the session's shells and for the test. */
  workspace: string;
  home: string;
  /** Where the session keeps its state. */
  sessionDir: string;
}

/** The shells of a session, as an agent reaches them through the gateway. */
export function sessionShells(
  owner: Caller,
  { id, workspace, home, sessionDir }: SessionPlace,
): ShellsUnderTest {
  return {
    workspace,
    home,
    run: (command, options) => run(owner, id, command, options),
    end: (shell) => owner.call('DELETE', `/runtimes/${id}/shells/${shell}`),
    filesOf: (shell) => `${sessionDir}/shells/${shell}`,
  };
}

async function run(owner: Caller, id: string, command: string, options: RunOptions): Promise<Answer> {
  const { shell = 'main', timeout = 15 } = options;
  const args = {
    command,
    is_input: options.isInput,
    blocking: options.blocking,
    hidden: options.hidden,
    is_static: options.isStatic,
    cwd: options.cwd,
  };
  const { status, json, text } = await owner.act(id, { action: 'run', shell, timeout, args });
  if (status !== 200) throw new Error(`${command}: ${status} ${text.slice(0, 500)}`);
  return json as unknown as Answer;
}
