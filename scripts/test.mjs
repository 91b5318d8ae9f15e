import { bootstrap } from './bootstrap.mjs';
import { runMain, UserError } from './fail.mjs';
import { installNeeds, mayInstall } from './install-needs.mjs';
import { runPinned } from './run-pinned.mjs';

await runMain(async (args) => {
  const noSkip = args.includes('--no-skip');
  const vitestArgs = args.filter((arg) => arg !== '--no-skip');
  await bootstrap();
  const missing = installNeeds();
  if (missing.length > 0 && noSkip)
    throw new UserError(`Suites cannot run, and --no-skip is set:\n${listed(missing)}`);
  if (missing.length > 0)
    process.stderr.write(`Skipping the suites that need what is not installed:\n${listed(missing)}\n`);
  return runPinned(
    ['node_modules/vitest/vitest.mjs', 'run', ...vitestArgs],
    noSkip ? { FAIRLEAD_NO_SKIP: '1' } : {},
  );
});

function listed(missing) {
  const lines = missing.map(({ name, suites }) => `  ${name.padEnd(8)} ${suites}`);
  const packages = missing.map((need) => need.debianPackage).join(' ');
  const remedy = mayInstall() ? 'see the failure of apt-get above' : `sudo apt-get install ${packages}`;
  return [...lines, `To run them: ${remedy}`].join('\n');
}
