import { join } from 'node:path';
import { nodeFlags } from '../packages/cli/bin/node-flags.mjs';
import { bootstrap } from './bootstrap.mjs';
import { runMain } from './fail.mjs';
import { environmentOfUser, root } from './paths.mjs';
import { ended, spawnPinned } from './run-pinned.mjs';

const command = join(root, 'packages', 'cli', 'bin', 'fairlead.mjs');

await runMain(async (args) => {
  await bootstrap();
  // npm runs scripts in the checkout; relative paths mean where the user typed them.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const env = environmentOfUser({ FAIRLEAD_LAUNCHER: '1' });
  const server = spawnPinned([...nodeFlags, command, 'serve', ...args], env, { hasChannel: true, cwd });
  const { code } = await ended(server);
  return code ?? 1;
});
