import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { runMain, UserError } from './fail.mjs';
import { environmentWithTools, root } from './paths.mjs';

const checks = {
  types: 'tsc -p . && tsc -p tsconfig.protocol.json',
  lint: 'oxlint --type-aware --deny-warnings --quiet',
  formatting: 'prettier --check --log-level warn .',
  imports: `depcruise --output-type err-long ${existing('packages', 'bench', 'scripts', 'tests')}`,
  'dead code': 'knip --no-progress --no-config-hints',
  repository: 'node scripts/checks/repository.mjs',
};

await runMain(async (args) => {
  const names = args.length > 0 ? args : Object.keys(checks);
  const unknown = names.find((name) => checks[name] === undefined);
  if (unknown)
    throw new UserError(`No check is named '${unknown}'. There are: ${Object.keys(checks).join(', ')}.`, 2);
  await bootstrap();
  const outcomes = await Promise.all(names.map(runCheck));
  const failed = outcomes.filter((outcome) => outcome.code !== 0);
  for (const { name, output } of failed) console.log(`\n── ${name} ──\n${output.trim()}`);
  console.log('');
  for (const { name, code, seconds } of outcomes)
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(10)}  ${seconds} s`);
  console.log(
    failed.length === 0 ? '\nAll checks passed.' : `\n${failed.length} of ${outcomes.length} checks failed.`,
  );
  return failed.length === 0 ? 0 : 1;
});

function existing(...folders) {
  return folders.filter((folder) => existsSync(join(root, folder))).join(' ');
}

function runCheck(name) {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(checks[name], { cwd: root, env: environmentWithTools(), stdio, shell: true });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code, signal) => {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      resolve({ name, code: code ?? signal, output, seconds });
    });
  });
}
