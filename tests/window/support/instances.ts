import type { WindowInstance } from '@fairlead/protocol';
import type { Caller } from '../../gateway/support/caller.ts';
import { until } from '../../gateway/support/wait.ts';

/** For a browser with much to do: how soon a gateway knows is tested without one. */
const goneTimeoutMs = 30_000;

/** The windows that a gateway knows. */
export async function listInstances(owner: Caller): Promise<WindowInstance[]> {
  const { status, text } = await owner.call('GET', '/api/vscode/instances');
  if (status !== 200) throw new Error(`the list of windows: ${status} ${text}`);
  return JSON.parse(text) as WindowInstance[];
}

/** The one that has the folder, or the folder of the .code-workspace file, open. */
export async function findInstance(owner: Caller, path: string): Promise<WindowInstance | undefined> {
  const isIt = ({ status, workspace_path, folders }: WindowInstance) =>
    status === 'active' && (workspace_path === path || folders.some((folder) => folder.path === path));
  return (await listInstances(owner)).find(isIt);
}

export async function untilGone(owner: Caller, path: string): Promise<void> {
  const isGone = async () => (await findInstance(owner, path)) === undefined;
  await until(isGone, `${path} to be gone from the list of windows`, goneTimeoutMs);
}
