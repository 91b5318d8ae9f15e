import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A command that runs another as on a machine that has no user namespaces: with a bwrap that fails where the real one
 * would. For root, who needs none.
 */
export function withoutUserNamespaces(directory: string): string[] {
  const fake = join(directory, 'bwrap');
  const message =
    'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded';
  writeFileSync(
    fake,
    `#!/bin/bash\ncase "$*" in *--unshare-user*) echo "${message}" >&2; exit 1 ;; esac\nexec /usr/bin/bwrap "$@"\n`,
  );
  chmodSync(fake, 0o755);
  const directoryOnPath = '/usr/local/sbin';
  const mounts = [
    '--dev-bind',
    '/',
    '/',
    '--tmpfs',
    directoryOnPath,
    '--ro-bind',
    fake,
    `${directoryOnPath}/bwrap`,
  ];
  return ['bwrap', ...mounts];
}
