import { spawn } from 'node:child_process';
import { accessSync, constants, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isBundleFresh } from '../packages/sandbox/bin/bundle-freshness.mjs';
import { withLock } from './bootstrap-lock.mjs';
import { UserError } from './fail.mjs';
import { environmentWithoutTools, nodeOnPath, pinnedNode, root } from './paths.mjs';

const oldestNode = 20;
const sandboxDirectory = join(root, 'packages', 'sandbox');

/**
 * Makes node_modules what package-lock.json says, the pinned Node runnable and the server's bundle fresh. Costs
 * milliseconds when all is.
 */
export async function bootstrap() {
  refuseOldNode();
  if (isCurrent()) return;
  await withLock(join(root, '.bootstrap-lock'), async () => {
    // Another script may have done it while this one waited.
    if (!dependenciesAreCurrent()) await installDependencies();
    if (!pinnedNodeIsThere()) await repairPinnedNode();
    await verifyPinnedNode();
    if (!isBundleFresh(sandboxDirectory)) await bundle();
  });
}

function refuseOldNode() {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return;
  throw new UserError(
    `Node ${oldestNode} or newer is needed to start; this is ${process.version} at ${process.execPath}.\n` +
      'Install a newer Node and run the command again. The project brings its own Node 24 from there on.',
  );
}

function isCurrent() {
  return dependenciesAreCurrent() && pinnedNodeIsThere() && isBundleFresh(sandboxDirectory);
}

/** Compares versions rather than file times: a fresh checkout makes every file look new. */
function dependenciesAreCurrent() {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages(join('node_modules', '.package-lock.json'));
  if (wanted === undefined)
    throw new UserError('package-lock.json is missing or damaged: restore it with git.');
  if (installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = installed[path];
    if (found === undefined) return entry.optional === true || entry.peer === true;
    return found.version === entry.version && found.resolved === entry.resolved;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function pinnedNodeIsThere() {
  try {
    accessSync(pinnedNode, constants.X_OK);
    accessSync(nodeOnPath, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function installDependencies() {
  const startedAt = Date.now();
  process.stderr.write('Installing dependencies (npm ci, about half a minute) … ');
  const { code, output } = await runNpm([
    'ci',
    '--include=dev',
    '--include=optional',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
  ]);
  if (code !== 0) {
    process.stderr.write('failed\n');
    throw new UserError(
      `${readable(output)}\n\nThe dependencies could not be installed: npm ci ended with ${code}.\n` +
        'Check the network and the free disk space, then run the command again.',
    );
  }
  process.stderr.write(`done in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
}

/** The package `node` fetches its binary in an install script, which npm may be told not to run. */
async function repairPinnedNode() {
  process.stderr.write('Fetching the pinned Node 24 … ');
  const directory = join(root, 'node_modules', 'node');
  const { code, output } = await capture(systemNode(), ['installArchSpecificPackage.js'], directory);
  // Without the binary npm could not link it either.
  if (code === 0) linkNodeOnPath();
  if (code === 0 && pinnedNodeIsThere()) {
    process.stderr.write('done\n');
    return;
  }
  process.stderr.write('failed\n');
  throw new UserError(
    `${readable(output)}\n\nThe pinned Node could not be fetched into ${directory}.\n` +
      'Check the network, or allow its install script, and run: npm rebuild node',
  );
}

function linkNodeOnPath() {
  rmSync(nodeOnPath, { force: true });
  symlinkSync(relative(dirname(nodeOnPath), pinnedNode), nodeOnPath);
}

async function verifyPinnedNode() {
  const { code, output } = await capture(pinnedNode, ['--version'], root);
  if (code === 0) return;
  throw new UserError(
    `The pinned Node at ${pinnedNode} does not run on this machine:\n${output.trim()}\n` +
      'It needs Linux or macOS on x64 or arm64, and glibc on Linux.',
  );
}

/** The server also runs from its sources, only slower to start: a bundle that fails is no reason to stop. */
async function bundle() {
  const { code, output } = await capture(pinnedNode, ['scripts/bundle.mjs'], sandboxDirectory);
  if (code !== 0)
    process.stderr.write(`The server could not be bundled and starts more slowly:\n${output}\n`);
}

function runNpm(args) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? capture(systemNode(), [npm, ...args], root) : capture('npm', args, root);
}

function systemNode() {
  return process.env.npm_node_execpath ?? (process.execPath.startsWith(root) ? 'node' : process.execPath);
}

function capture(command, args, cwd) {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd, env: environmentWithoutTools(), stdio, detached: true });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: error.code, output: `${command}: ${error.message}` }));
    // npm lives on after SIGTERM and has children; what it leaves half done is done anew the next time.
    const stop = () => child.pid && process.kill(-child.pid, 'SIGKILL');
    process.once('exit', stop);
    child.on('close', (code, signal) => {
      process.off('exit', stop);
      resolve({ code: code ?? signal, output });
    });
  });
}

/** What npm says without its warnings and the usage text it adds. */
function readable(npmOutput) {
  const [message] = npmOutput.split(/^npm error (?:Clean install a project|Usage:)$/m);
  const lines = message.split('\n').filter((line) => !/^npm (?:warn|error$)/.test(line));
  return lines.join('\n').trim();
}
