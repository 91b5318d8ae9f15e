import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The floor of everything that starts a Node: one that has nothing to do. */
export async function startNode(): Promise<void> {
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
}
