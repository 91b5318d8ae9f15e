import { readFileSync } from 'node:fs';
import { inside } from '../inside.ts';
import type { PassedFiles } from './passed-files.ts';

/** Who a sandbox's processes are, as they see it themselves. */
export interface Account {
  user: string;
  uid: number;
}

/** Not root, so that programs do not try what only root can do, such as giving files away. */
export const agentAccount: Account = { user: 'agent', uid: 1000 };

/** Where there are no user namespaces nobody can look like somebody else. */
export const rootAccount: Account = { user: 'root', uid: 0 };

/**
 * A passwd and a group file as arguments of bwrap: the machine's system accounts, because programs look for them, and of
 * its people none.
 */
export function accountFiles(account: Account, passed: PassedFiles): string[] {
  const { user, uid } = account;
  const own = {
    '/etc/passwd': `${user}:x:${uid}:${uid}::${inside.home}:/bin/bash`,
    '/etc/group': `${user}:x:${uid}:`,
  };
  return Object.entries(own).flatMap(([path, line]) => {
    const content = [line, ...systemLines(path, account), ''].join('\n');
    return ['--file', String(passed.make(content)), path];
  });
}

function systemLines(path: string, account: Account): string[] {
  return (
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => {
        const [name = '', , id = ''] = line.split(':');
        const isSystem = /^\d+$/.test(id) && (Number(id) < 1000 || Number(id) === 65_534);
        return isSystem && name !== account.user && Number(id) !== account.uid;
      })
      // Members of groups are people.
      .map((line) => (line.split(':').length === 4 ? line.replace(/[^:]*$/, '') : line))
  );
}
