import type { ProcessScope } from '../processes/process-scope.ts';
import { endMarker } from './markers.ts';
import { quoteForShell } from './quote.ts';

export interface ShellUser {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

export interface LaunchOptions {
  secret: string;
  initFile: string;
  /** Where the exit code is left for a server that is not there to hear of it. */
  goneFile: string;
  /** Where a shell starts that has nothing to restore. */
  cwd: string;
  scope: ProcessScope;
  user?: ShellUser | undefined;
  /** Path of the setpriv by which bash ends with this script, however that ends; undefined where it need not or cannot. */
  setpriv?: string | undefined;
}

/**
 * The script that starts an interactive bash: as its user, in its directory, and as a member of its scope before it
 * can start anything. It stays behind to report in-band how bash ended, behind the last byte of its output.
 */
export function launchScript(options: LaunchOptions): string {
  const { secret, initFile, goneFile, cwd, scope, user, setpriv } = options;
  // A terminal that is gone tells this script and the program in front, not a bash that waits behind it.
  const endTogether = setpriv === undefined ? [] : ['--pdeathsig=KILL'];
  const become = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups'];
  const flags = [...endTogether, ...become];
  const start = flags.length === 0 ? '' : `${quoteForShell(setpriv ?? 'setpriv')} ${flags.join(' ')} -- `;
  return `
# The terminals of other shells are open in whoever starts this one.
for fd in /proc/self/fd/*; do
  fd=\${fd##*/}
  # bash reads this script on 255.
  case $fd in 0 | 1 | 2 | 255) ;; *) eval "exec $fd>&-" ;; esac
done
${scope.joinFile === undefined ? '' : `echo $$ >${quoteForShell(scope.joinFile)}`}
cd -- ${quoteForShell(cwd)} 2>/dev/null || cd /
${user === undefined ? '' : giveTerminal(user)}
# A tmux that is used in the shell is the user's own, never the one that holds the shell.
unset TMUX TMUX_PANE
SHELL=$(command -v bash)
export SHELL
# What this script itself has to say ("Killed") is not output.
exec 3>&2 2>/dev/null
${start}bash --rcfile ${quoteForShell(initFile)} -i 2>&3 3>&-
code=$?
echo "$code" >${quoteForShell(goneFile)}
printf '${endMarker(secret)}' "$code" >/dev/tty
# tmux drops what it has not read yet when its first process ends: wait to be ended.
exec sleep 100000000
`;
}

/** Programs open their own terminal by name too: `echo oops >/dev/stderr`. */
function giveTerminal(user: ShellUser): string {
  return `chown ${user.uid} "$(tty)" 2>/dev/null`;
}

/** What a shell's environment holds beside the session's own. */
export function shellVariables(scope: ProcessScope, user: ShellUser | undefined): Record<string, string> {
  const own = user === undefined ? {} : { HOME: user.home, USER: user.name, LOGNAME: user.name };
  return { ...own, ...scope.environment };
}
