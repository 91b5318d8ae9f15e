import type { ShellUser } from '@fairlead/executor';
import type { EditorFiles } from './editor-files.ts';

export interface LaunchOptions {
  /** What to run, with all arguments. */
  command: string[];
  /** The file of a control group to join first. */
  joinFile: string | undefined;
  user: ShellUser | undefined;
  files: EditorFiles;
  /** Written where there are none. */
  settings: { file: string; content: object };
}

/**
 * The command that starts an editor; it reads the token from its input, so that it is in no list of processes. Files are
 * made by whose they are: in a home that belongs to somebody else, a link could lead the server to any file.
 */
export function launchCommand(options: LaunchOptions): string[] {
  const { command, joinFile, user, files, settings } = options;
  const join = joinFile === undefined ? [] : bash('echo $$ >"$0"; exec "$@"', joinFile);
  const become =
    user === undefined
      ? []
      : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups', '--'];
  const paths = [files.directory, files.log, files.token, settings.file];
  const content = JSON.stringify(settings.content, undefined, 2);
  return [...join, ...become, ...bash(script, 'fairlead-editor', ...paths, content, ...command)];
}

/** With -p no BASH_ENV and no function of the session's environment gets in. */
function bash(text: string, ...args: string[]): string[] {
  return ['bash', '-p', '-c', text, ...args];
}

/** The log and one that was full before it. */
const logLimitBytes = 524_288;

const script = `
directory=$1 log=$2 token_file=$3 settings_file=$4 settings=$5
shift 5
IFS= read -r token
mask=$(umask)
umask 077
mkdir -p "$directory" "\${settings_file%/*}" || exit 1
[[ -e $settings_file ]] || printf '%s\\n' "$settings" >"$settings_file" || exit 1
rm -f "$token_file" && printf '%s' "$token" >"$token_file" || exit 1
[[ -f $log ]] && mv -f "$log" "$log.1"
: >"$log" || exit 1

# It reads to the end, whatever the editor says and whether anybody looks. Bytes, for a line may be longer than memory.
write_log() {
  trap '' TERM INT HUP
  LC_ALL=C
  local text size=0
  while IFS= read -r -n 4096 text; do
    if (( (size += \${#text} + 1) > ${logLimitBytes} )); then
      mv -f "$log" "$log.1"
      size=\${#text}
    fi
    printf '%s\\n' "$text" >>"$log"
  done
}

exec > >(write_log) 2>&1 </dev/null
umask "$mask"
unset token
exec "$@"
`;
