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
  /** The folder of one that is there from the first start, until the person removes it. */
  extension: string | undefined;
}

/**
 * The command that starts an editor; it reads the token from its input, so that it is in no list of processes. Files are
 * made by whose they are: in a home that belongs to somebody else, a link could lead the server to any file.
 */
export function launchCommand(options: LaunchOptions): string[] {
  const { command, joinFile, user, files, settings, extension = '' } = options;
  const join = joinFile === undefined ? [] : bash('echo $$ >"$0"; exec "$@"', joinFile);
  const become =
    user === undefined
      ? []
      : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups', '--'];
  const paths = [files.directory, files.log, files.token, files.extensions, extension, settings.file];
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
directory=$1 log=$2 token_file=$3 extensions=$4 extension=$5 settings_file=$6 settings=$7
shift 7
IFS= read -r token
mask=$(umask)
umask 077
mkdir -p "$directory" "\${settings_file%/*}" || exit 1
[[ -e $settings_file ]] || printf '%s\\n' "$settings" >"$settings_file" || exit 1
rm -f "$token_file" && printf '%s' "$token" >"$token_file" || exit 1

# VS Code takes up what it finds in a new directory. A link, so that the extension is always the one of this Fairlead.
link=$extensions/fairlead.fairlead
if [[ -n $extension && ( -L $link || ! -e $extensions ) ]]; then
  mkdir -p "$extensions" && ln -sfn "$extension" "$link" || exit 1
fi

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
