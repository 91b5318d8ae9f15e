// Makes fairlead-<target>.vsix in dist/, or in --out, for this machine or for the targets that are asked for.
import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildExtension, distDirectory } from './build.mjs';
import { packageFiles } from './package-files.mjs';
import { terminalFiles, terminalTargets } from './terminal-library.mjs';
import { writeVsix } from './vsix.mjs';

/** For a machine that no terminal library was compiled for. */
const anyMachine = 'universal';
const allTargets = [...terminalTargets, anyMachine];

try {
  const { targets, directory } = options();
  for (const target of targets) console.log(await packageFor(target, directory));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function packageFor(target, directory) {
  await buildExtension(directory);
  const path = join(directory, `fairlead-${target}.vsix`);
  const terminal = target === anyMachine ? [] : terminalFiles(target);
  rmSync(path, { force: true });
  await writeVsix(
    path,
    [...packageFiles(directory), ...terminal],
    target === anyMachine ? undefined : target,
  );
  return relative(process.cwd(), path);
}

function options() {
  const { target, all, out } = parseArgs({
    options: {
      target: { type: 'string', multiple: true },
      all: { type: 'boolean', default: false },
      out: { type: 'string', default: distDirectory },
    },
  }).values;
  return { targets: all ? allTargets : chosenTargets(target), directory: resolve(out) };
}

function chosenTargets(target) {
  const chosen = target ?? [`${process.platform}-${process.arch}`];
  const unknown = chosen.find((name) => !allTargets.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no target "${unknown}". There are: ${allTargets.join(', ')}.`);
  return chosen;
}
