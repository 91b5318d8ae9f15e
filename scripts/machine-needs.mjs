import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * What suites need from the machine beyond bash and Node. A suite that needs one carries its name as a tag:
 * `describe('…', { tags: ['tmux'] }, …)`, and is skipped where the command is missing.
 */
export const machineNeeds = [
  { name: 'tmux', debianPackage: 'tmux', suites: 'the tmux terminal: conformance, survival of a restart' },
  { name: 'ps', debianPackage: 'procps', suites: 'processes left behind by a session' },
  {
    name: 'python3',
    debianPackage: 'python3',
    suites: 'the Python package; REPLs, prompts and processes that ask for input',
  },
  { name: 'pip3', debianPackage: 'python3-pip', suites: 'the wheel of the Python package' },
  { name: 'curl', debianPackage: 'curl', suites: 'the example of the bridge for shell scripts' },
  { name: 'git', debianPackage: 'git', suites: 'pagers and the git commands OpenHands sends' },
  { name: 'vim', debianPackage: 'vim', suites: 'full-screen programs: vim' },
  { name: 'less', debianPackage: 'less', suites: 'full-screen programs: less' },
  { name: 'htop', debianPackage: 'htop', suites: 'full-screen programs: htop' },
  {
    name: 'bwrap',
    debianPackage: 'bubblewrap',
    suites: 'sandboxes of the local driver, and their isolation',
  },
  {
    name: 'dockerd',
    debianPackage: 'docker.io',
    suites: 'sandboxes of the docker driver (as root)',
    isForRoot: true,
  },
  { name: 'debootstrap', debianPackage: 'debootstrap', suites: 'the images of the docker suites' },
  { name: 'chromium', debianPackage: 'chromium', suites: 'pages in a real browser' },
  { name: 'g++', debianPackage: 'g++', suites: 'a real web VS Code, which is compiled once on a machine' },
  { name: 'make', debianPackage: 'make', suites: 'the same' },
  { name: 'pkg-config', debianPackage: 'pkg-config', suites: 'the same' },
  { name: 'krb5-config', debianPackage: 'libkrb5-dev', suites: 'the same' },
  { name: 'nginx', debianPackage: 'nginx', suites: 'the gateway behind nginx' },
  { name: 'openssl', debianPackage: 'openssl', suites: 'the same, with TLS' },
  { name: 'ip', debianPackage: 'iproute2', suites: 'the network of the docker suites' },
];

export function missingNeeds() {
  return machineNeeds.filter((need) => !isOnPath(need.name) || (need.isForRoot && process.getuid() !== 0));
}

export function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
