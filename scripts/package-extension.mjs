import { bootstrap } from './bootstrap.mjs';
import { runMain } from './fail.mjs';
import { runPinned } from './run-pinned.mjs';

await runMain(async (args) => {
  await bootstrap();
  return runPinned(['packages/extension/scripts/package.mjs', ...args]);
});
