import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';

const readableName = /\.(ts|mts|mjs|cjs|js|json|md|sh|yml|yaml|py|svg|html|css)$|^\.ci\/run$/;
const problems = [...lockFileProblems(), ...sourceFiles().flatMap(fileProblems)];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Registry addresses differ from machine to machine; with them the lock file ties everybody to one. */
function lockFileProblems() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([, entry]) => entry.resolved !== undefined && entry.link !== true)
    .map(
      ([path]) =>
        `package-lock.json: ${path} has a registry address; .npmrc keeps them out: rm -r node_modules package-lock.json && npm install`,
    );
}

/** Tracked files and those git would take. A copy without git has none to tell from the rest. */
function sourceFiles() {
  if (!existsSync(join(root, '.git'))) return [];
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const list = execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  return list.split('\0').filter((file) => readableName.test(file));
}

function fileProblems(file) {
  if (file === 'package-lock.json') return [];
  const lines = readLines(file);
  return lines.flatMap((line, index) =>
    lineProblems(file, line).map((problem) => `${file}:${index + 1}: ${problem}\n    ${line.trim()}`),
  );
}

function readLines(file) {
  try {
    return readFileSync(join(root, file), 'utf8').split('\n');
  } catch {
    return []; // deleted, and not yet committed so
  }
}

function lineProblems(file, line) {
  const problems = [];
  if (/\b(TO[D]O|FIX[M]E)\b/.test(line)) problems.push('unfinished work: do it, or open an issue');
  if (readsProcess(line) && !mayReadProcess(file)) {
    problems.push('only main reads argv and the environment; pass the value in');
  }
  const undeclared = undeclaredSibling(file, line);
  if (undeclared !== undefined)
    problems.push(`add ${undeclared} to the dependencies in the package's package.json`);
  return problems;
}

/** npm links every package of the workspace, so an undeclared one resolves, and the other tools let it pass. */
function undeclaredSibling(file, line) {
  const directory = /^(packages\/[^/]+)\/(?:src|bin)\//.exec(file)?.[1];
  const sibling = /(?:from|import\(|import) ?'(@fairlead\/[\w-]+)/.exec(line)?.[1];
  if (directory === undefined || sibling === undefined) return undefined;
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
  return dependencies[sibling] === undefined ? sibling : undefined;
}

function readsProcess(line) {
  const code = line.replace(/^\s*(\*|\/\/|\/\*).*|\s\/\/ .*$/, '');
  return /\bprocess\??\.(argv|env)\b|\bprocess\[|\{[^}]*\b(argv|env)\b[^}]*\}\s*=\s*process\b|from '(node:)?process'/.test(
    code,
  );
}

function mayReadProcess(file) {
  return (
    !/^packages\/[^/]+\/src\//.test(file) ||
    /^packages\/([^/]+\/src\/main|extension\/src\/extension|client\/src\/bridge\/endpoint)\.ts$/.test(file)
  );
}
