import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ProcessScope } from './processes/process-scope.ts';
import { TmuxTerminalFactory } from './shell/tmux/tmux-terminal.ts';

/** Ends every process of a session that another process left behind, without taking it over. */
export async function endSession(sessionDir: string, env: Record<string, string>): Promise<void> {
  await new TmuxTerminalFactory(sessionDir, env).close();
  const shells = join(sessionDir, 'shells');
  const names = existsSync(shells) ? readdirSync(shells) : [];
  await Promise.all(names.map((name) => new ProcessScope(join(shells, name)).kill()));
}
