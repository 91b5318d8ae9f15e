import { spawnSync } from 'node:child_process';
import { isOnPath, missingNeeds } from './machine-needs.mjs';

/** Installs what the suites need where it may; answers what is missing still. */
export function installNeeds() {
  const missing = missingNeeds();
  if (missing.length === 0 || !mayInstall()) return missing;
  const packages = missing.map((need) => need.debianPackage);
  process.stderr.write(`Installing Debian packages for the suites: ${packages.join(' ')} … `);
  const failure =
    aptGet(['update', '-qq']) ?? aptGet(['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  process.stderr.write(failure === undefined ? 'done\n' : `failed\n${failure}\n`);
  return missingNeeds();
}

export function mayInstall() {
  return process.getuid?.() === 0 && isOnPath('apt-get');
}

function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // A short wait for dpkg's own lock: another package manager may be at work on a fresh machine.
  const command = ['-o', 'DPkg::Lock::Timeout=120', ...args];
  const { status, error, stdout, stderr } = spawnSync('apt-get', command, { env, encoding: 'utf8' });
  if (status === 0) return undefined;
  return `apt-get ${args[0]} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`;
}
