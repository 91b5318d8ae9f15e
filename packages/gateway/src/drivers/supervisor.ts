import { editorIdleSeconds, leaseSeconds, runFiles, type SandboxBundle } from './inside.ts';

export interface SupervisorOptions {
  /** What the process is called in a list of processes; a driver finds its sandboxes by it. */
  name: string;
  bundle: SandboxBundle;
  /** Where the sandbox has them. */
  workspace: string;
  run: string;
}

/**
 * The first process of a sandbox, as argv: runs the sandbox server, starts it again when it dies, ends with it when it
 * ends in good order, passes SIGTERM on to it, and reaps orphans where it is process 1. Needs nothing but bash.
 */
export function supervisorCommand({ name, bundle, workspace, run }: SupervisorOptions): string[] {
  const server = [
    ...bundle.command,
    '--socket',
    `${run}/${runFiles.socket}`,
    '--working-dir',
    workspace,
    '--session-dir',
    `${run}/session`,
    '--lease',
    String(leaseSeconds),
    '--editor-socket',
    `${run}/${runFiles.editorSocket}`,
    '--editor-idle',
    String(editorIdleSeconds),
  ];
  // With -p no BASH_ENV and no function of the session's environment gets in.
  return ['bash', '-p', '-c', script, name, `${run}/${runFiles.log}`, ...server];
}

/** The log and one that was full before it. */
const logLimitBytes = 1_048_576;
const deathsAllowed = 5;
const deathsWithinSeconds = 10;

const script = `
log=$1
shift

# Bytes, because a line may be longer than memory; a full log takes the place of the one before it.
write_log() {
  trap '' TERM
  LC_ALL=C
  local text size=0
  [[ -f $log ]] && text=$(<"$log") && size=\${#text}
  while IFS= read -r -n 4096 text; do
    [[ $text == "$end_mark" ]] && break
    if (( (size += \${#text} + 1) > ${logLimitBytes} )); then
      printf '%s\\n' "$(<"$log")" >"$log.1"
      printf '%s\\n' "$text" >"$log"
      size=\${#text}
    else
      printf '%s\\n' "$text" >>"$log"
    fi
  done
}

# What was written comes to the log before this process, and with it the whole sandbox, is gone.
leave() {
  printf '%s\\n' "$end_mark"
  wait "$writer"
  exit "$1"
}

ending=
server=
writer=
interrupted=
trap 'ending=1 interrupted=1; [[ $server ]] && kill -TERM "$server" 2>/dev/null' TERM INT HUP
trap : PIPE
end_mark=end-$RANDOM$RANDOM$RANDOM

deaths=()
while [[ ! $ending ]]; do
  # Who killed the server may have killed the writer too, and nobody can live with a log that nobody reads.
  [[ $writer ]] && kill -0 "$writer" 2>/dev/null || { exec > >(write_log) 2>&1; writer=$!; }
  "$@" </dev/null &
  server=$!
  [[ $ending ]] && kill -TERM "$server"
  # A signal ends the wait before the server has ended.
  while :; do
    interrupted=
    wait "$server" 2>/dev/null
    code=$?
    [[ $interrupted ]] || break
  done
  (( code == 0 )) && break
  [[ $ending ]] && break
  deaths+=("$SECONDS")
  (( \${#deaths[@]} > ${deathsAllowed} )) && deaths=("\${deaths[@]:1}")
  how="ended with code $code"
  (( code > 128 )) && how="was ended by signal $(( code - 128 ))"
  if (( \${#deaths[@]} == ${deathsAllowed} && SECONDS - deaths[0] <= ${deathsWithinSeconds} )); then
    echo "The sandbox server $how, for the ${deathsAllowed}th time within ${deathsWithinSeconds} seconds; giving up"
    leave 1
  fi
  echo "The sandbox server $how; starting it again"
done
leave 0
`;
