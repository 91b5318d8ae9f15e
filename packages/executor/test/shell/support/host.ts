import { createInterface } from 'node:readline';
import { openExecutor } from '@fairlead/executor';
import type { Action } from '@fairlead/protocol';
import { shellEnv, testPaths } from './paths.ts';

/** A process of its own around an executor: actions in as lines of JSON, observations out. Made to be killed. */
const [root = '', terminal = 'pty'] = process.argv.slice(2);
const { workspace, sessionDir, home } = testPaths(root);

const executor = await openExecutor({
  workspace,
  sessionDir,
  terminal: terminal as 'pty' | 'tmux',
  noChangeTimeoutSeconds: 60,
  env: shellEnv(home),
});
executor.shells.onOutput(({ actionId }) => actionId !== null && say({ output: actionId }));
say({ ready: process.pid });

for await (const line of createInterface({ input: process.stdin })) {
  const { actionId, action } = JSON.parse(line) as { actionId: string; action: Action };
  void executor.execute(action, { actionId }).then((observation) => say({ actionId, observation }));
  say({ sent: actionId });
}
await executor.close();

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
