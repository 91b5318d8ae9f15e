import type { Cli, GlobalOptions } from '../cli.ts';
import { stateDirOf } from '../connect.ts';
import type { Finding } from './finding.ts';

/** Whether sessions can have a web VS Code. */
export async function findEditor(cli: Cli, options: GlobalOptions): Promise<Finding> {
  const { findEditors } = await import('../editor/editor-choice.ts');
  const name = 'web VS Code';
  const { local } = findEditors(stateDirOf(cli, options));
  if (local !== null) return { name, status: 'ok', detail: local.command.join(' ') };
  return {
    name,
    status: 'limited',
    detail: 'not installed',
    enables: 'VS Code in the browser for every session',
    remedy: 'fairlead editor install',
  };
}
